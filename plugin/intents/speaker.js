// Who speaks where, for a standing intent: the host's names for it differ between a hook and a tool.

/** @typedef {import("../../index.d.ts").IntentSpeaker} IntentSpeaker */

/** @param {unknown} value */
const text = (value) => (typeof value === "string" && value.trim() ? value.trim() : undefined);

/**
 * The first that tells something.
 * @param {...unknown} values
 */
const first = (...values) => values.map(text).find(Boolean);

/**
 * @param {Record<string, any>} ctx Of `before_prompt_build`.
 * @returns {IntentSpeaker}
 */
export function speakerOfTurn(ctx) {
  return {
    provider: first(ctx.channel, ctx.messageProvider),
    accountId: first(ctx.accountId),
    conversationId: first(ctx.channelId, ctx.chatId),
    senderId: first(ctx.senderId),
    sessionKey: first(ctx.sessionKey),
  };
}

/**
 * @param {Record<string, any>} ctx Of a tool.
 * @returns {IntentSpeaker}
 */
export function speakerOfCall(ctx) {
  return {
    provider: first(ctx.messageChannel),
    accountId: first(ctx.agentAccountId),
    conversationId: first(ctx.nativeChannelId),
    // Without an owner's identity the session is what it is bound to: nobody else is in it.
    senderId: ctx.senderIsOwner === true ? first(ctx.requesterSenderId) : undefined,
    sessionKey: first(ctx.sessionKey),
  };
}
