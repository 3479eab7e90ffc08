// Shapes as TypeScript.

/** @typedef {import("./rust.mjs").Shape} Shape @typedef {import("./rust.mjs").Field} Field */

/** @type {[RegExp, string][]} */
const PLAIN = [
  [/^(?:String|PathBuf|&(?:'\w+ )?str|Box<str>|Cow<'\w+, str>)$/, "string"],
  [/^(?:[ui](?:8|16|32|64|size)|f32|f64)$/, "number"],
  [/^bool$/, "boolean"],
  [/^(?:serde_json::)?Value$/, "unknown"],
];

/**
 * Declarations of the named types and of all that they hold.
 * @param {Shape[]} shapes All that there are.
 * @param {Record<string, string>} roots The name of each type to declare, and where it is: "Name", or "file.rs Name".
 */
export function renderTypes(shapes, roots) {
  /** @type {Map<Shape, string>} */
  const names = new Map(Object.entries(roots).map(([name, at]) => [find(shapes, at), name]));
  const declared = [];
  // Those that are met on the way are declared after those that hold them.
  for (const [shape, name] of names) declared.push(declaration(shape, name, (type) => nameOf(type, shape)));
  return declared.join("\n");

  /**
   * @param {string} type
   * @param {Shape} from
   */
  function nameOf(type, from) {
    const base = type.split("::").at(-1) ?? type;
    const shape = nearest(shapes, base, from);
    const known = names.get(shape);
    if (known) return known;
    if ([...names.values()].includes(base))
      throw new Error(`two types are called ${base}: name ${shape.file} ${base} in scripts/types.mjs`);
    names.set(shape, base);
    return base;
  }
}

/**
 * The type that a name means in a file: of the file itself, else of its crate, else of any.
 * @param {Shape[]} shapes
 * @param {string} base
 * @param {Shape} from
 */
function nearest(shapes, base, { file }) {
  const crate = file.slice(0, file.indexOf("/src/"));
  const circles = [shapes.filter((shape) => shape.file === file), shapes.filter((shape) => shape.file.startsWith(`${crate}/src/`)), shapes];
  return find(circles.find((circle) => circle.some(({ name }) => name === base)) ?? [], base);
}

/**
 * @param {Shape[]} shapes
 * @param {string} at
 */
function find(shapes, at) {
  const [name, file = ""] = at.split(" ").reverse();
  const found = shapes.filter((shape) => shape.name === name && `/${shape.file}`.endsWith(file && `/${file}`));
  if (found.length !== 1) throw new Error(`${at}: ${found.length} such types that are serialised`);
  return found[0];
}

/**
 * @param {Shape} shape
 * @param {string} name
 * @param {(type: string) => string} nameOf
 */
function declaration({ docs, fields, variants = [], tag, isUntagged, problem }, name, nameOf) {
  if (problem) throw problem;
  const head = comment(docs, "");
  if (fields) {
    const flat = fields.filter(({ isFlat }) => isFlat).map(({ type }) => nameOf(type));
    const parents = flat.map((parent) => `${parent} & `).join("");
    return [...head, `export type ${name} = ${parents}{`, ...members(fields, nameOf, "  "), "};", ""].join("\n");
  }
  if (tag === undefined && variants.every(({ fields, holds }) => !fields && holds === undefined)) {
    return [...head, `export type ${name} = ${variants.map((variant) => JSON.stringify(variant.name)).join(" | ")};`, ""].join("\n");
  }
  const options = variants.map((variant) => {
    if (tag === undefined) {
      if (variant.holds === undefined) throw new Error(`${name}: only variants that hold one type are known here`);
      const held = typeOf(variant.holds, nameOf);
      return isUntagged ? `  | ${held}` : `  | { ${variant.name}: ${held} }`;
    }
    if (variant.holds !== undefined) return `  | ({ ${tag}: ${JSON.stringify(variant.name)} } & ${typeOf(variant.holds, nameOf)})`;
    return ["  | {", `      ${tag}: ${JSON.stringify(variant.name)};`, ...members(variant.fields ?? [], nameOf, "      "), "    }"].join(
      "\n",
    );
  });
  return `${[...head, `export type ${name} =`, ...options].join("\n")};\n`;
}

/**
 * @param {Field[]} fields
 * @param {(type: string) => string} nameOf
 * @param {string} indent
 */
function members(fields, nameOf, indent) {
  return fields
    .filter(({ isFlat }) => !isFlat)
    .flatMap(({ name, docs, type, isOptional }) => {
      const [, inner] = /^Option<(.*)>$/.exec(type) ?? [];
      const written = inner === undefined ? typeOf(type, nameOf) : `${typeOf(inner, nameOf)}${isOptional ? "" : " | null"}`;
      return [...comment(docs, indent), `${indent}${name}${isOptional ? "?" : ""}: ${written};`];
    });
}

/**
 * @param {string} type
 * @param {(type: string) => string} nameOf
 * @returns {string}
 */
function typeOf(type, nameOf) {
  const plain = PLAIN.find(([pattern]) => pattern.test(type));
  if (plain) return plain[1];
  const [, boxed] = /^Box<(.*)>$/.exec(type) ?? [];
  if (boxed) return typeOf(boxed, nameOf);
  const [, list] = /^(?:Vec|HashSet|BTreeSet)<(.*)>$/.exec(type) ?? [];
  if (list) return `${typeOf(list, nameOf)}[]`;
  const [, value] = /^(?:BTreeMap|HashMap)<String, (.*)>$/.exec(type) ?? [];
  if (value) return `Record<string, ${typeOf(value, nameOf)}>`;
  if (!/^[\w:]+$/.test(type)) throw new Error(`${type} has no shape in TypeScript here`);
  return nameOf(type);
}

/**
 * @param {string[]} docs
 * @param {string} indent
 */
function comment(docs, indent) {
  if (docs.length <= 1) return docs.map((line) => `${indent}/** ${line} */`);
  return [`${indent}/**`, ...docs.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
