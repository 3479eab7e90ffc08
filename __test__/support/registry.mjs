// An npm registry on the loopback that has the packages of one stage and nothing else.

import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { packFolder } from "../../scripts/ship/stage.mjs";

/**
 * @param {{folder?: string, manifest: import("../../scripts/ship/packages.mjs").Manifest}[]} packages Without a folder a
 *   package has a manifest, which npm reads to see that it is for another machine, but no content.
 * @param {string} into Where tarballs are put.
 */
export async function startRegistry(packages, into) {
  /** @type {Map<string, string>} */
  const tarballs = new Map();
  /** @type {string[]} */
  const fetched = [];
  for (const { folder, manifest } of packages) if (folder) tarballs.set(manifest.name, packFolder(folder, into).file);
  const server = createServer((request, response) => {
    const [name, rest] = decodeURIComponent(request.url ?? "")
      .slice(1)
      .split("/-/");
    const found = packages.find(({ manifest }) => manifest.name === name);
    const tarball = tarballs.get(name);
    if (!found || (rest && !tarball)) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}');
    } else if (rest && tarball) {
      fetched.push(name);
      createReadStream(tarball).pipe(response);
    } else {
      const { version } = found.manifest;
      const dist = { tarball: `${url}/${name}/-/${path.basename(tarball ?? "none.tgz")}` };
      const versions = { [version]: { ...found.manifest, dist } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  return { url, fetched, close: () => new Promise((resolve) => server.close(resolve)) };
}
