// What hosts write of who has said what in the main session, and such a session that others reach.

import { MAIN } from "./hooked.mjs";

export const FALCON = { "memory/2026-11-02.md": "# 2026-11-02\n\nProject Falcon uses PostgreSQL 17 as its database.\n" };
export const ASKED = "Which database does Falcon use?";

export const OPEN = { channels: { telegram: { dmPolicy: "open", allowFrom: ["*"] } }, commands: { ownerAllowFrom: ["telegram:1"] } };

/** What 2026.4.12 writes around the words of a message. @param {string} id @param {string} words */
export const wrapped = (id, words) =>
  `Conversation info (untrusted metadata):\n\`\`\`json\n{\n  "message_id": "7",\n  "sender_id": "${id}",\n  "sender": "U"\n}\n\`\`\`\n\n` +
  `Sender (untrusted metadata):\n\`\`\`json\n{\n  "label": "U (${id})",\n  "id": "${id}"\n}\n\`\`\`\n\n${words}`;

/**
 * A message as a host of a version hands it over.
 * @param {string} version
 * @param {string} id
 * @param {string} words
 */
export function said(version, id, words) {
  if (version === "2026.4.12") return { role: "user", content: wrapped(id, words) };
  if (version === "2026.6.11") return { role: "user", content: words };
  const mark = { senderId: id, senderIsOwner: id === "1", transport: { channel: "telegram" } };
  return { role: "user", content: words, __openclaw: mark };
}

export const reply = { role: "assistant", content: "Fine." };
export const TELEGRAM = { ...MAIN, messageProvider: "telegram", channelId: "telegram" };
