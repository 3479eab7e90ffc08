import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { renderManifest } from "../../scripts/settings/manifest.mjs";
import { renderRust } from "../../scripts/settings/rust.mjs";
import { readTable } from "../../scripts/settings/table.mjs";

const table = await readFile(new URL("../../crates/model/settings.toml", import.meta.url), "utf8");

test("a setting that does not hold together is refused by its name", () => {
  const refused = /** @param {string} setting */ (setting) => () => readTable(`${table}\n${setting}\n`);
  for (const [setting, reason] of [
    ['[one]\ntype = "switch"', "text is a sentence"],
    ['[one]\ntype = "yes"\ntext = "One."', "type is none of"],
    ['[one]\ntype = "switch"\ndefault = "yes"\ntext = "One."', "another type"],
    ['[one]\ntype = "integer"\ntext = "One."', "needs a range"],
    ['[one]\ntype = "integer"\nrange = [1, 5]\ndefault = 6\ntext = "One."', "outside the range"],
    ['[one]\ntype = "choice"\nvalues = ["a"]\nrust = "automatic::One"\ndefault = "b"\ntext = "One."', "none of the values"],
    ['["one.two"]\ntype = "switch"\ntext = "Two."', "group is missing"],
    ['[one]\ntype = "switch"\ndefualt = true\ntext = "One."', 'unknown field "defualt"'],
  ]) {
    expect(refused(setting), setting).toThrow(reason);
  }
  expect(refused('[enabled]\ntype = "switch"\ntext = "Twice."')).toThrow();
});

test("one entry of the table makes the schema with its limits and the constant with the same", () => {
  const settings = readTable(
    '[deep]\ntype = "group"\ntext = "Deep."\n["deep.fewBytes"]\ntype = "integer"\nrange = [10_000]\ndefault = 20_000\ntext = "Few."',
  );
  const { configSchema } = /** @type {any} */ (renderManifest({}, settings));
  expect(configSchema.properties.deep.properties.fewBytes).toEqual({
    type: "integer",
    description: "Few. Default: 20000.",
    minimum: 10_000,
  });
  expect(renderRust(settings)).toContain(
    'const DEEP_FEW_BYTES: Integer = Integer { key: "deep.fewBytes", range: 10_000..=9_007_199_254_740_991, default: 20_000 };',
  );
});
