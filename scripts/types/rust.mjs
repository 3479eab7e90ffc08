// Reads the structs and enums that serde writes, out of Rust's source. It knows what this project uses of both, and stops at
// everything else instead of guessing.

/**
 * @typedef {{name: string, docs: string[], type: string, isOptional: boolean, isFlat: boolean}} Field
 * @typedef {{name: string, docs: string[], fields: Field[] | null, holds?: string}} Variant `fields` is null where it has none;
 *   `holds` is the type in round brackets.
 * @typedef {{file: string, name: string, docs: string[], fields?: Field[], variants?: Variant[], tag?: string, isUntagged?: boolean, problem?: unknown}} Shape
 *   `problem`: why it could not be read; no matter unless it is asked for.
 */

/**
 * Every struct and enum of a file that is serialised.
 * @param {string} file
 * @param {string} source
 * @returns {Shape[]}
 */
export function readShapes(file, source) {
  const heads = /((?:^\/\/\/[^\n]*\n)*)((?:^#\[[^\n]*\]\n)+)^pub(?:\([a-z]+\))? (struct|enum) (\w+)(?:<'\w+>)? \{\n([\s\S]*?)^\}/gm;
  return [...source.matchAll(heads)].flatMap(([, ...head]) => shapeOf(...head));

  /** @param {string[]} head @returns {Shape[]} */
  function shapeOf(...[docs, attributes, kind, name, body]) {
    if (!/#\[derive\([^)]*\bSerialize\b/.test(attributes)) return [];
    const shape = { file, name, docs: docsOf(docs) };
    const where = `${file}::${name}`;
    try {
      const serde = serdeOf(attributes, where);
      if (kind === "struct") return [{ ...shape, fields: fieldsOf(body, serde.rename_all, where) }];
      return [{ ...shape, tag: serde.tag, isUntagged: serde.untagged === true, variants: variantsOf(body, serde.rename_all, where) }];
    } catch (problem) {
      return [{ ...shape, problem }];
    }
  }
}

/**
 * @param {string} body
 * @param {string | undefined} style
 * @param {string} where
 * @returns {Field[]}
 */
function fieldsOf(body, style, where) {
  const parts = /((?:^\s*\/\/\/[^\n]*\n)*)((?:^\s*#\[[^\n]*\]\n)*)^\s*(?:pub(?:\([a-z]+\))? )?(\w+): ([^\n]+),\n/gm;
  checkAllRead(body, parts, where);
  return [...body.matchAll(parts)].flatMap(([, docs, attributes, name, type]) => {
    const serde = serdeOf(attributes, where);
    // Fields that have no name of their own are in no type.
    if (serde.skip || (serde.flatten && /Map<String, /.test(type))) return [];
    const isOptional = serde.skip_serializing_if !== undefined;
    return [{ name: serde.rename ?? renamed(name, style, "field"), docs: docsOf(docs), type, isOptional, isFlat: serde.flatten === true }];
  });
}

/**
 * @param {string} body
 * @param {string | undefined} style
 * @param {string} where
 * @returns {Variant[]}
 */
function variantsOf(body, style, where) {
  const parts = /((?:^ {4}\/\/\/[^\n]*\n)*)((?:^ {4}#\[[^\n]*\]\n)*)^ {4}(\w+)(?: \{\n([\s\S]*?)^ {4}\}|(\([^\n]*\)))?,\n/gm;
  checkAllRead(body, parts, where);
  return [...body.matchAll(parts)].map(([, docs, attributes, name, fields, tuple]) => {
    const serde = serdeOf(attributes, where);
    return {
      name: serde.rename ?? renamed(name, style, "variant"),
      docs: docsOf(docs),
      holds: tuple?.slice(1, -1),
      fields: fields === undefined ? null : fieldsOf(fields, serde.rename_all, `${where}::${name}`),
    };
  });
}

/**
 * Nothing may be overlooked.
 * @param {string} body
 * @param {RegExp} parts
 * @param {string} where
 */
function checkAllRead(body, parts, where) {
  const rest = body
    .replace(parts, "")
    .replace(/^\s*\/\/[^\n]*$/gm, "")
    .trim();
  if (rest) throw new Error(`${where}: what is "${rest.split("\n", 1)[0]}"?`);
}

const KNOWN = ["default", "flatten", "rename", "rename_all", "skip", "skip_serializing_if", "tag", "untagged", "deserialize_with", "with"];

/**
 * @param {string} attributes
 * @param {string} [where]
 * @returns {Record<string, any>}
 */
function serdeOf(attributes, where = "") {
  const found = [...attributes.matchAll(/#\[serde\(([^\n]*)\)\]/g)].flatMap(([, inner]) =>
    inner.split(/,\s*(?![^"]*"(?:[^"]*"[^"]*")*[^"]*$)/),
  );
  return Object.fromEntries(
    found.map((part) => {
      const [, name, value] = /^(\w+)(?: = "([^"]*)")?$/.exec(part.trim()) ?? [];
      if (!KNOWN.includes(name)) throw new Error(`${where}: serde(${part}) is not known here`);
      return [name, value ?? true];
    }),
  );
}

/** @param {string} docs */
const docsOf = (docs) => docs.split("\n").flatMap((line) => (line.includes("///") ? [line.trim().slice(4)] : []));

/**
 * A name as serde's `rename_all` writes it.
 * @param {string} name
 * @param {string | undefined} style
 * @param {"field" | "variant"} of
 */
function renamed(name, style, of) {
  if (style === undefined) return name;
  const words = of === "field" ? name.split("_") : name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  switch (style) {
    case "camelCase":
      return words.map((word, at) => (at === 0 ? word : word[0].toUpperCase() + word.slice(1))).join("");
    case "kebab-case":
      return words.join("-");
    case "snake_case":
      return words.join("_");
    case "lowercase":
      return words.join("");
    default:
      throw new Error(`rename_all = "${style}" is not known here`);
  }
}
