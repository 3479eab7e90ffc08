// What Debian has of PostgreSQL: the oldest server that is spoken to, with TLS and all its tools, pgvector built for it, and
// pgbouncer. Taken by apt with lists of its own, and unpacked into the cache folder: nothing is installed.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cacheFolder, PostgresError, UnavailableError } from "./binaries.mjs";

/** Debian's own mirror, whatever this machine takes packages from. */
const MIRROR = "http://deb.debian.org";
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Where apt looks. The release that has PostgreSQL 15 has no pgvector, and the next one has its source. */
const SOURCES = [
  `deb [signed-by=${KEYS}] ${MIRROR}/debian bookworm main`,
  `deb [signed-by=${KEYS}] ${MIRROR}/debian-security bookworm-security main`,
  `deb-src [signed-by=${KEYS}] ${MIRROR}/debian trixie main`,
].join("\n");

const PROGRAMS = ["postgresql-15", "postgresql-client-15", "postgresql-server-dev-15", "pgbouncer"];

/** What they link with that a small machine need not have. */
const LIBRARIES = [
  ...["libc-ares2", "libevent-2.1-7", "libgssapi-krb5-2", "libicu72", "libk5crypto3", "libkeyutils1", "libkrb5-3"],
  ...["libkrb5support0", "libldap-2.5-0", "libpq5", "libsasl2-2", "libssl3", "libxml2", "libxslt1.1"],
];

/** Names what is unpacked: another choice is unpacked beside it. */
const UNPACKED = "debian-15-1";

/** The folder of the server's programs, whether they are there or not. */
export const debianBin = (cache = cacheFolder()) => path.join(cache, UNPACKED, "usr", "lib", "postgresql", "15", "bin");

/** pgbouncer, whether it is there or not. */
export const pgbouncerProgram = (cache = cacheFolder()) => path.join(cache, UNPACKED, "usr", "sbin", "pgbouncer");

/**
 * Runs a program in a folder.
 * @param {string} cwd @param {string} program @param {string[]} args @param {typeof PostgresError} [Failure]
 */
function run(cwd, program, args, Failure = PostgresError) {
  const { status, error, stderr, stdout } = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (!error && status === 0) return stdout;
  const why = error ? error.message : stderr.trim().split("\n").slice(-3).join("\n");
  throw new Failure(
    `PostgreSQL 15 cannot be fetched from Debian: ${program}: ${why}\nThis takes apt-get and dpkg-deb, Debian's keys (${KEYS}), its mirror and a C compiler.`,
  );
}

/** All files below a folder. @param {string} folder */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** Builds pgvector from its source, and puts it where the server looks. @param {string} source @param {string} root */
function buildVector(source, root) {
  const headers = path.join(root, "usr", "include", "postgresql", "15", "server");
  const sources = readdirSync(path.join(source, "src")).filter((name) => name.endsWith(".c"));
  const flags = ["-O2", "-fPIC", "-shared", "-fno-math-errno", `-I${headers}`];
  const library = path.join(root, "usr", "lib", "postgresql", "15", "lib", "vector.so");
  run(path.join(source, "src"), "cc", [...flags, ...sources, "-o", library]);
  const control = readFileSync(path.join(source, "vector.control"), "utf8");
  const version = control.match(/default_version = '([^']+)'/)?.[1];
  const extensions = path.join(root, "usr", "share", "postgresql", "15", "extension");
  writeFileSync(path.join(extensions, "vector.control"), control);
  // As its Makefile does.
  copyFileSync(path.join(source, "sql", "vector.sql"), path.join(extensions, `vector--${version}.sql`));
}

/** Fetches and unpacks all of it into a folder. @param {string} partial */
function unpack(partial) {
  const apt = path.join(partial, "apt");
  for (const folder of ["lists/partial", "cache/archives/partial", "packages"]) mkdirSync(path.join(apt, folder), { recursive: true });
  writeFileSync(path.join(apt, "sources.list"), `${SOURCES}\n`);
  const options = {
    "Dir::Etc::sourcelist": path.join(apt, "sources.list"),
    "Dir::Etc::sourceparts": "/nonexistent",
    "Dir::State::lists": path.join(apt, "lists"),
    "Dir::Cache": path.join(apt, "cache"),
    "Acquire::Languages": "none",
    "APT::Sandbox::User": "root",
  };
  const own = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const packages = path.join(apt, "packages");
  run(packages, "apt-get", [...own, "--quiet", "update", "--error-on=any"], UnavailableError);
  run(packages, "apt-get", [...own, "--quiet", "download", ...PROGRAMS, ...LIBRARIES], UnavailableError);
  run(packages, "apt-get", [...own, "--quiet", "source", "--download-only", "pgvector"], UnavailableError);
  for (const name of readdirSync(packages).filter((name) => name.endsWith(".deb"))) run(packages, "dpkg-deb", ["-x", name, partial]);
  const lib = path.join(partial, "usr", "lib", "postgresql", "15", "lib");
  // Beside the server's own, so that one folder has to be named to the loader.
  for (const file of filesBelow(path.join(partial, "usr", "lib")).filter((file) => /\.so\.\d[^/]*$/.test(file)))
    copyFileSync(file, path.join(lib, path.basename(file)));
  const archive = readdirSync(packages).find((name) => /^pgvector_.*\.orig\.tar\.gz$/.test(name));
  if (!archive) throw new PostgresError("Debian's source of pgvector has no archive of its own.");
  const source = path.join(apt, "pgvector");
  mkdirSync(source);
  run(packages, "tar", ["-xzf", archive, "-C", source, "--strip-components=1"]);
  buildVector(source, partial);
  rmSync(apt, { recursive: true });
  // Compiles to code that is not used without LLVM, which is larger than all the rest.
  rmSync(path.join(lib, "bitcode"), { recursive: true, force: true });
  rmSync(path.join(lib, "llvmjit.so"), { force: true });
}

/** Unpacks server, pgvector and pgbouncer, unless they are there. Gives the folder of the server's programs. */
export function fetchDebian(cache = cacheFolder()) {
  const bin = debianBin(cache);
  if (existsSync(bin)) return bin;
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const partial = path.join(cache, `${UNPACKED}.${process.pid}`);
  try {
    unpack(partial);
    renameSync(partial, path.join(cache, UNPACKED));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another call was quicker.
    if (!existsSync(bin)) throw error;
  }
  return bin;
}
