// What this process holds: none of it may grow in a gateway that runs for months.

import { readdir } from "node:fs/promises";

const count = async (/** @type {string} */ folder) => (await readdir(folder).catch(() => [])).length;

/** Resident memory, descriptors and threads; only Linux tells the last two, elsewhere they are 0. */
export async function held() {
  return {
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
    fds: await count("/proc/self/fd"),
    threads: await count("/proc/self/task"),
  };
}
