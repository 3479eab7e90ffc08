// What is shipped does not say on whose machine and in which folder it was built, so that whoever builds it again gets the
// same file.

import os from "node:os";
import path from "node:path";

/** Where Cargo keeps the sources of dependencies. @param {NodeJS.ProcessEnv} env */
const cargoHome = (env) => path.resolve(env.CARGO_HOME ?? path.join(os.homedir(), ".cargo"));

/**
 * Folders of this machine whose names rustc would write into a binary, with what it writes in their place. The last that
 * matches a path counts.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {[string, string][]}
 */
export function machineFolders(root, env) {
  const own = path.resolve(root);
  return [
    [own, "memory-core-rs"],
    [cargoHome(env), "cargo"],
    [path.resolve(own, env.CARGO_TARGET_DIR ?? "target"), "target"],
  ];
}

/**
 * Arguments of Cargo that keep these names out. They join what `.cargo/config.toml` says of the target, and an ordinary
 * build, which has none of them, does not build anew for them.
 * @param {string} triple
 * @param {[string, string][]} folders
 */
export function remapArguments(triple, folders) {
  const flags = folders.map(([folder, name]) => `--remap-path-prefix=${folder}=/${name}`);
  return ["--config", `target.${triple}.rustflags=${JSON.stringify(flags)}`];
}

/** Which of them a binary names all the same. @param {Buffer} binary @param {[string, string][]} folders */
export function namedFolders(binary, folders) {
  return folders.map(([folder]) => folder).filter((folder) => binary.includes(folder + path.sep));
}
