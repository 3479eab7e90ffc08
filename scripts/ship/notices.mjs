// THIRD-PARTY-NOTICES.md: whose work is in what we ship, and the licence texts that have to go with it.

import { chooseLicences, parseLicence } from "./spdx.mjs";

/** @typedef {import("./crates.mjs").Crate} Crate */
/** @typedef {{title: string, body: string}} Part Something that is no Rust package of its own. */

/** What the text of a licence says and no other one does. @type {Record<string, RegExp>} */
const SAYS = {
  MIT: /permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated/i,
  "Apache-2.0": /apache license\W+version 2\.0[\s\S]*terms and conditions for use, reproduction/i,
  ISC: /permission to use, copy, modify, and(?:\/or)? distribute this software for any purpose/i,
  "BSD-3-Clause": /redistribution and use in source and binary forms[\s\S]*neither the name/i,
  Zlib: /this software is provided 'as-is'[\s\S]*altered source versions/i,
  "BSL-1.0": /boost software license/i,
  "Unicode-3.0": /unicode license v3/i,
  "CC0-1.0": /cc0 1\.0 universal|creative commons legal code/i,
  Unlicense: /this is free and unencumbered software released into the public domain/i,
};

/** Licences whose text names no copyright holder, so that any copy of it will do. */
const IMPERSONAL = ["Apache-2.0", "CC0-1.0", "BSL-1.0"];

/** For packages under the MIT licence that come without its text. */
const MIT_TEXT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * The licences that `deny.toml` allows, the preferred ones first.
 * @param {string} deny
 * @returns {string[]}
 */
export function allowedLicences(deny) {
  const list = /^\[licenses\][^[]*?^allow = \[([^\]]*)\]/ms.exec(deny)?.[1];
  if (!list) throw new Error("deny.toml has no list of allowed licences");
  return [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
}

/** Texts that differ in line breaks, blanks and comment marks only are one text. @param {string} text */
const plain = (text) =>
  text
    .replace(/^\s*(?:\/\/+|#+|\*+)/gm, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Lines that say who holds the rights, where they stand alone, and the title of the MIT licence. */
const HOLDERS =
  /^[ \t]*(?:\/\/|#)?[ \t]*(?:copyright|\(c\)|©)[ \t]*(?:\(c\)|©|[12]\d{3}|the [a-z- ]+ (?:project|developers|authors|contributors)).*$/gim;
const TITLE = /^\s*(?:the )?mit licen[cs]e(?: \(mit\))?\s*$/gim;

/** The licences whose text a file holds. @param {string} text */
const spokenIn = (text) => Object.keys(SAYS).filter((licence) => SAYS[licence].test(plain(text)));

/**
 * The texts that go with a package under a licence: its own files where it has them.
 * @param {Crate} crate
 * @param {string} licence
 * @param {Crate[]} all Where a text without a copyright holder may be taken from.
 * @returns {string[]}
 */
function textsOf(crate, licence, all) {
  const says = SAYS[licence];
  if (!says) throw new Error(`scripts/ship/notices.mjs does not know the text of ${licence} (${crate.name})`);
  const own = Object.values(crate.files).filter((text) => spokenIn(text).includes(licence));
  if (own.length > 0) return own.map((text) => text.trim());
  if (licence === "MIT") {
    const holders = crate.authors.map((author) => author.replace(/\s*<.*>/, "")).join(", ") || `the authors of ${crate.name}`;
    return [`MIT License\n\nCopyright (c) ${holders}\n\n${MIT_TEXT}`];
  }
  const elsewhere = IMPERSONAL.includes(licence) ? all.flatMap(({ files }) => Object.values(files)) : [];
  // The shortest one is the text alone, without what a project puts before it.
  const [found] = elsewhere.filter((text) => says.test(plain(text))).sort((a, b) => a.length - b.length);
  if (!found) throw new Error(`${crate.name} ${crate.version} comes without the text of its licence ${licence}`);
  return [found.trim()];
}

/**
 * The whole document. Throws for a package under no allowed licence, or whose licence text is not to be had.
 * @param {Crate[]} crates
 * @param {string[]} allowed
 * @param {Part[]} parts
 * @returns {string}
 */
export function renderNotices(crates, allowed, parts) {
  /** @type {Map<string, {licence: string, text: string, users: Set<string>, holders: Set<string>}>} */
  const groups = new Map();
  for (const crate of crates) {
    const licences = chooseLicences(parseLicence(crate.licence), allowed);
    if (!licences) throw new Error(`${crate.name} ${crate.version} is under "${crate.licence}", which deny.toml does not allow`);
    // What is no licence text says whose work it is, or which part is under which licence.
    const remarks = Object.values(crate.files).filter((text) => text.trim() && spokenIn(text).length === 0);
    for (const licence of licences) {
      for (const whole of [...remarks, ...textsOf(crate, licence, crates)]) {
        // Most texts are the same but for their first lines, which are kept one and all.
        const isShared = spokenIn(whole).length > 0;
        const text = isShared ? whole.replace(HOLDERS, "").replace(TITLE, "").trim() : whole;
        const holders = isShared ? (whole.match(HOLDERS) ?? []).map((line) => line.trim()) : [];
        const group = groups.get(plain(text)) ?? { licence, text, users: new Set(), holders: new Set() };
        group.users.add(nameOf(crate));
        for (const holder of holders) group.holders.add(holder);
        groups.set(plain(text), group);
      }
    }
  }
  const order = [...groups.values()].sort((a, b) => allowed.indexOf(a.licence) - allowed.indexOf(b.licence) || b.users.size - a.users.size);
  return [
    "# Third-party notices",
    "",
    "What of others is in the packages of memory-core-rs, and under which licences. Made by `npm run notices` from the",
    "packages that Cargo links on any shipped platform; do not edit.",
    ...parts.flatMap(({ title, body }) => ["", `## ${title}`, "", body.trim()]),
    "",
    "## Rust packages",
    "",
    ...crates.map((crate) => `- ${nameOf(crate)}: ${crate.licence}${crate.repository ? `, <${crate.repository}>` : ""}`),
    ...order.flatMap(({ licence, text, users, holders }) => [
      ...["", `### ${licence}`, "", [...users].join(", "), ""],
      fenced([...holders, ...(holders.size ? [""] : []), text].join("\n")),
    ]),
    "",
  ].join("\n");
}

/** @param {Crate} crate */
const nameOf = ({ name, version }) => `${name} ${version}`;

/** @param {string} text */
function fenced(text) {
  return ["```text", text.replace(/\r\n?/g, "\n").replace(/[ \t]+$/gm, ""), "```"].join("\n");
}
