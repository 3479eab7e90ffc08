// Notes in a language that the bundled model does not know: what `openclaw memory setup` offers for them.

import { PLUGIN_ID } from "../../lib/package-info.js";

/** A sentence encoder for some hundred languages that runs in this process (docs/embedded-model.md). */
export const MULTILINGUAL_MODEL = "hf:intfloat/multilingual-e5-small";

/** With less of the notes in other languages, what the bundled model does for English is worth more. */
const SHARE_WORTH_IT = 0.2;

/**
 * @typedef {{language: string, share: number}} UnknownLanguage
 * @typedef {{languages: UnknownLanguage[], model: string, commands: string[]}} LanguageOffer
 */

/**
 * A model that knows the language of the notes, with the commands that choose it; nothing while the bundled one is good
 * enough. Only offered: it is downloaded when the user names it.
 * @param {UnknownLanguage[] | undefined} unknown
 * @returns {LanguageOffer | undefined}
 */
export function languageOffer(unknown = []) {
  const share = unknown.reduce((sum, language) => sum + language.share, 0);
  if (share < SHARE_WORTH_IT) return undefined;
  const key = `plugins.entries.${PLUGIN_ID}.config`;
  const commands = [
    `openclaw config set ${key}.provider embedded`,
    `openclaw config set ${key}.model ${MULTILINGUAL_MODEL}`,
    "openclaw memory index",
  ];
  return { languages: unknown, model: MULTILINGUAL_MODEL, commands };
}

/**
 * The offer for people.
 * @param {LanguageOffer} offer
 */
export function languageOfferText({ languages, commands }) {
  const named = languages.map(({ language, share }) => `${language} (about ${Math.round(share * 100)} %)`).join(", ");
  return [
    `Notes in ${named} are found by words only: the bundled model knows English.`,
    "A model for about a hundred languages runs in this process, too, without a key. It is downloaded once (about 490 MB):",
    ...commands.map((command) => `  ${command}`),
  ].join("\n");
}
