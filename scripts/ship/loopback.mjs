// An npm registry on the loopback, to which packages are published with `npm publish`.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { platformManifest } from "./packages.mjs";

/**
 * @typedef {{name: string, versions: Record<string, any>, "dist-tags": Record<string, string>}} PackageDocument
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 */

/** @param {Response} response @param {number} status @param {unknown} body */
const answer = (response, status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

export class LoopbackRegistry {
  /** @type {Map<string, PackageDocument>} */
  #published = new Map();
  /** Contents by their path. @type {Map<string, Buffer>} */
  #tarballs = new Map();
  /** @type {import("node:http").Server} */
  #server;
  /** Names of published packages whose content was asked for. @type {string[]} */
  fetched = [];
  url = "";

  /** @param {string} [upstream] The registry that is asked for what nobody has published here. */
  constructor(upstream) {
    this.upstream = upstream?.replace(/\/$/, "");
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error) =>
        response.headersSent ? response.destroy() : answer(response, 502, { error: String(error) }),
      );
    });
  }

  async start() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const { port } = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    this.url = `http://127.0.0.1:${port}`;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** @param {Request} request @param {Response} response */
  async #serve(request, response) {
    const url = request.url ?? "/";
    const [name] = decodeURIComponent(url).slice(1).split("/-/");
    if (request.method === "PUT") {
      const [status, body] = this.#publish(JSON.parse(await text(request)));
      return answer(response, status, body);
    }
    const document = this.#published.get(name);
    if (!document && this.upstream) return await this.#passOn(this.upstream + url, request, response);
    if (!document) return answer(response, 404, { error: "not found" });
    if (url === `/${name}`) return answer(response, 200, document);
    const tarball = this.#tarballs.get(url);
    if (!tarball) return answer(response, 404, { error: "not found" });
    this.fetched.push(name);
    return response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
  }

  /** Makes a package known that has no content. @param {import("./packages.mjs").Manifest} manifest */
  announce(manifest) {
    const { name, version } = manifest;
    this.#publish({ name, versions: { [version]: manifest }, "dist-tags": { latest: version }, _attachments: {} });
  }

  /** @param {PackageDocument & {_attachments: Record<string, {data: string}>}} sent @returns {[number, object]} */
  #publish({ name, versions, "dist-tags": tags, _attachments }) {
    const known = this.#published.get(name);
    if (Object.keys(versions).some((version) => known?.versions[version])) return [409, { error: "this version is there already" }];
    for (const [version, manifest] of Object.entries(versions)) {
      const file = Object.keys(_attachments).find((attached) => attached.endsWith(`-${version}.tgz`)) ?? "";
      const place = `/${name}/-/${file}`;
      this.#tarballs.set(place, Buffer.from(_attachments[file]?.data ?? "", "base64"));
      manifest.dist = { ...manifest.dist, tarball: `${this.url}${place}` };
    }
    this.#published.set(name, {
      name,
      versions: { ...known?.versions, ...versions },
      "dist-tags": { ...known?.["dist-tags"], ...tags },
    });
    return [201, { ok: true }];
  }

  /** @param {string} url @param {Request} request @param {Response} response */
  async #passOn(url, { method, headers }, response) {
    const found = await fetch(url, { method, headers: { accept: headers.accept ?? "*/*" } });
    response.writeHead(found.status, { "content-type": found.headers.get("content-type") ?? "application/octet-stream" });
    if (found.body) await pipeline(Readable.fromWeb(/** @type {any} */ (found.body)), response);
    else response.end();
  }
}

/**
 * Publishes the packages of a release, each when its parts are there. A platform whose addon is not here gets a manifest
 * without content: npm reads that it is for another machine. Returns those.
 * @param {import("./stage.mjs").Stage} stage
 * @param {import("./targets.mjs").Target[]} targets
 * @param {LoopbackRegistry} registry
 */
export async function publishAll(stage, targets, registry) {
  const config = path.join(stage.into, "npmrc");
  const built = targets.filter((target) => stage.findAddon(target));
  const folders = [stage.weights(), ...built.map((target) => stage.platform(target)), stage.body(targets)];
  writeFileSync(config, `//${new URL(registry.url).host}/:_authToken=nobody-asks\n`);
  const missing = targets.filter((target) => !built.includes(target));
  for (const target of missing) registry.announce(platformManifest(stage.main, target));
  for (const cwd of folders) {
    await promisify(execFile)("npm", ["publish", "--access", "public", "--registry", registry.url, "--userconfig", config], {
      cwd,
      shell: process.platform === "win32",
    });
  }
  return missing;
}

/** @param {Request} request */
async function text(request) {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  return body;
}
