// Which of two versions is the later one, of whatever it is.

import { expect, test } from "vitest";
import { compareVersions } from "../../lib/versions.js";

test.each([
  ["hosts, with what was mended later", ["2026.4.12", "2026.7.1", "2026.7.1-2", "2026.9.6", "2026.10.1"]],
  ["glibc", ["2.2.5", "2.9", "2.17", "2.28"]],
  ["Node", ["18.20.0", "20.9.1", "20.19.0", "24.1.0"]],
])("versions are ordered by their numbers: %s", (_, versions) => {
  expect(versions.toReversed().sort(compareVersions)).toEqual(versions);
});
