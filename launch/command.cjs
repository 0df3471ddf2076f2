#!/usr/bin/env node
// @ts-check
// The command of the package: the same commands, with the parts that the project's index.ts chooses.
const { loadPlatform } = require("./platform.cjs");

async function main() {
  await loadPlatform().ready();
  // @ts-ignore: translated when the package is made.
  await require("../cli/main.js").run(process.argv.slice(2));
}

void main();
