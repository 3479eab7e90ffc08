// The C compiler of `cargo check` for Windows on a machine without Visual C++: zig with the headers of MinGW. Good for
// finding out that the C compiles; nothing is linked with what comes out.

import { spawnSync } from "node:child_process";

const [zig, target, ...given] = process.argv.slice(2);
// Cargo's build scripts name the target in clang's words, and with it Visual C++.
const args = given.filter((arg) => !arg.startsWith("--target="));
const { status, error } = spawnSync(zig, ["-m", "ziglang", "cc", "-target", target, ...args], { stdio: "inherit" });
if (error) throw error;
process.exitCode = status ?? 1;
