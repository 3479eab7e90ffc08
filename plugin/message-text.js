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
