// Licences of what is shipped: expressions, choice, and the texts that have to go along.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allowedLicences, renderNotices } from "../../scripts/ship/notices.mjs";
import { chooseLicences, parseLicence } from "../../scripts/ship/spdx.mjs";

const DENY = '[graph]\ntargets = ["a"]\n\n[licenses]\n# why\nallow = [\n  "MIT",\n  "Apache-2.0",\n  "ISC",\n]\n';
const ALLOWED = ["MIT", "Apache-2.0", "ISC"];
const MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation";
const APACHE = "Apache License\nVersion 2.0, January 2004\n\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION";

/** @param {Partial<import("../../scripts/ship/crates.mjs").Crate>} over */
const crate = (over) => ({ name: "one", version: "1.0.0", licence: "MIT", authors: [], folder: "", files: {}, ...over });

describe("licence expressions", () => {
  /** @param {string} text */
  const chosen = (text) => chooseLicences(parseLicence(text), ALLOWED);

  test("of alternatives the preferred one", () => {
    expect(chosen("Apache-2.0 OR MIT")).toEqual(["MIT"]);
    expect(chosen("Unlicense/MIT")).toEqual(["MIT"]);
    expect(chosen("Apache-2.0 WITH LLVM-exception OR Apache-2.0")).toEqual(["Apache-2.0"]);
  });

  test("of licences that hold together all", () => {
    expect(chosen("Apache-2.0 AND ISC")).toEqual(["Apache-2.0", "ISC"]);
    expect(chosen("(MIT OR Apache-2.0) AND ISC")).toEqual(["MIT", "ISC"]);
    expect(chosen("MIT OR Apache-2.0 AND GPL-3.0")).toEqual(["MIT"]);
  });

  test("none where a needed one is not allowed", () => {
    expect(chosen("GPL-3.0")).toBeUndefined();
    expect(chosen("MIT AND GPL-3.0")).toBeUndefined();
    expect(chosen("Apache-2.0 WITH LLVM-exception")).toBeUndefined();
  });

  test.each(["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH"])("%j is refused", (text) => {
    expect(() => parseLicence(text)).toThrow("is no licence expression");
  });
});

describe("notices", () => {
  test("deny.toml's list of allowed licences is read, and nothing else of it", () => {
    expect(allowedLicences(DENY)).toEqual(ALLOWED);
    expect(() => allowedLicences("[bans]\nallow = []\n")).toThrow("no list");
    expect(allowedLicences(readFileSync(new URL("../../deny.toml", import.meta.url), "utf8"))).toContain("Unicode-3.0");
  });

  test("texts that differ in their holders only stand there once, with every holder", () => {
    const text = renderNotices(
      [
        crate({ files: { LICENSE: `MIT License\n\nCopyright (c) 2020 Ann\n\n${MIT}` } }),
        crate({ name: "two", files: { "LICENSE.txt": `// Copyright 2021 Bob\n//\n// ${MIT}` } }),
      ],
      ALLOWED,
      [],
    );
    expect(text.match(/^### /gm)).toHaveLength(1);
    expect(text).toContain("one 1.0.0, two 1.0.0");
    expect(text).toContain("Copyright (c) 2020 Ann");
    expect(text).toContain("Copyright 2021 Bob");
  });

  test("only the text of the chosen licence goes along, and every remark", () => {
    const files = { "LICENSE-APACHE": APACHE, "LICENSE-MIT": `Copyright (c) Ann\n\n${MIT}`, NOTICE: "Parts are by Carol." };
    const text = renderNotices([crate({ licence: "MIT OR Apache-2.0", files })], ALLOWED, []);
    expect(text).toContain("Parts are by Carol.");
    expect(text).not.toContain("January 2004");
  });

  test("a package without the text of its licence gets it", () => {
    const bare = crate({ name: "bare", authors: ["Dora <dora@example.org>"] });
    const apache = crate({ name: "bare-apache", licence: "Apache-2.0" });
    const text = renderNotices([bare, apache, crate({ name: "has", licence: "Apache-2.0", files: { LICENSE: APACHE } })], ALLOWED, []);
    expect(text).toContain("Copyright (c) Dora\n");
    expect(text).toContain("bare-apache 1.0.0, has 1.0.0");
  });

  test("a licence that is not allowed, and a text that is not to be had, stop it", () => {
    expect(() => renderNotices([crate({ licence: "GPL-3.0" })], ALLOWED, [])).toThrow("deny.toml does not allow");
    expect(() => renderNotices([crate({ licence: "ISC" })], ALLOWED, [])).toThrow("without the text");
  });
});
