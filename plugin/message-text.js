// The words of the host's messages.

/**
 * The text of a message: a string, or the text blocks of a list.
 * @param {unknown} content
 */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .join("\n");
}

/**
 * Whether a message in the assistant's role is the host's own: what it answered to a command, or the copy of a reply that it
 * sent to a channel. Neither is the model's word, and an answer may show what was recalled.
 * @param {Record<string, any>} message
 */
export function isHostsAnswer({ role, provider, model, openclawDeliveryMirror: copy }) {
  if (role !== "assistant" || provider !== "openclaw") return false;
  return model === "gateway-injected" || (model === "delivery-mirror" && copy?.kind === "channel-final");
}
