// Lets the first, second, third … write and sync of an engine's life fail, and looks at what is left.
//   npm run lab -- io [--stride 1] [--offset 0]

import { parseArgs } from "node:util";
import { ioFaults } from "../../__test__/process/io-faults.mjs";

const { values } = parseArgs({ options: { stride: { type: "string", default: "1" }, offset: { type: "string", default: "0" } } });
for await (const { life, fault, rounds, bad, skip, problems } of ioFaults({
  stride: Number(values.stride),
  offset: Number(values.offset),
})) {
  if (problems) console.log(`${life}, ${fault} after ${skip}: ${problems.join("; ")}`);
  else console.log(`${life}: ${fault}: ${rounds} rounds, ${bad} with problems`);
  if (problems) process.exitCode = 1;
}
