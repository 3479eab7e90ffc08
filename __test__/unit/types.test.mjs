import { expect, test } from "vitest";
import { readShapes } from "../../scripts/types/rust.mjs";
import { renderTypes } from "../../scripts/types/typescript.mjs";

const SOURCE = `/// What became of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// How many.
    pub files_seen: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Reason>,
    pub note: Option<Box<str>>,
    #[serde(skip)]
    line: String,
    #[serde(flatten)]
    pub more: Vec<Part>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reason {
    TooLarge,
    Gone,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Part {
    One {
        id: String,
    },
    Other(Box<Told>),
}

#[derive(Debug)]
pub struct NeverWritten {
    pub name: Strange<String>,
}
`;

test("a struct is written as serde writes it", () => {
  const types = renderTypes(readShapes("a.rs", SOURCE.replace("    #[serde(flatten)]\n", "")), { Report: "Told" });
  expect(types).toBe(`/** What became of it. */
export type Report = {
  /** How many. */
  filesSeen: number;
  why?: Reason;
  note: string | null;
  more: Part[];
};

export type Reason = "too-large" | "gone";

export type Part =
  | {
      kind: "one";
      id: string;
    }
  | ({ kind: "other" } & Report);
`);
});

test("what is not known is refused instead of guessed", () => {
  const written = (/** @type {string} */ field) => () =>
    renderTypes(readShapes("a.rs", `#[derive(Serialize)]\npub struct Told {\n${field}}\n`), { Told: "Told" });
  expect(written("    pub a: Strange<u8>,\n")).toThrow("Strange<u8>");
  expect(written('    #[serde(other, rename = "b")]\n    pub a: u8,\n')).toThrow("other");
  expect(written("    pub a:\n        u8,\n")).toThrow("what is");
  expect(written("    pub a: Missing,\n")).toThrow("Missing: 0 such types");
});

test("variants without a tag are what they hold", () => {
  const source = `#[derive(Serialize)]
#[serde(untagged)]
pub enum Said {
    Plain(bool),
    Word(Word),
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    Auto,
}
`;
  expect(renderTypes(readShapes("a.rs", source), { Report: "Said" })).toBe(
    'export type Report =\n  | boolean\n  | Word;\n\nexport type Word = "auto";\n',
  );
});
