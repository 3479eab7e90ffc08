// Notes in a language that the bundled model does not know.

import { expect, test } from "vitest";
import { languageOffer, languageOfferText, MULTILINGUAL_MODEL } from "../../plugin/setup/languages.js";

test("a model for other languages is offered when enough of the notes needs it", () => {
  expect(languageOffer(undefined)).toBe(undefined);
  expect(languageOffer([{ language: "German", share: 0.19 }])).toBe(undefined);
  const offer = languageOffer([
    { language: "German", share: 0.15 },
    { language: "Korean", share: 0.1 },
  ]);
  expect(offer?.model).toBe(MULTILINGUAL_MODEL);
  expect(offer?.commands.at(-1)).toBe("openclaw memory index");
  const text = languageOfferText(/** @type {import("../../plugin/setup/languages.js").LanguageOffer} */ (offer));
  expect(text).toContain("German (about 15 %), Korean (about 10 %)");
  expect(text).toContain(`openclaw config set plugins.entries.memory-core-rs.config.model ${MULTILINGUAL_MODEL}`);
});
