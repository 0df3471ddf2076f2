#!/usr/bin/env node
// Runs a command from a bundle, which the first command after a change builds.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { BundleError, ENTRIES, currentBundle, makeBundle } = require("../launch/bundles.cjs");

function prepared() {
  try {
    if (process.argv[2] === "--build") {
      for (const name of Object.keys(ENTRIES)) {
        makeBundle(name);
      }
      return undefined;
    }
    return currentBundle("cli");
  } catch (error) {
    if (!(error instanceof BundleError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

const bundle = prepared();
if (bundle !== undefined) {
  await require(bundle).run(process.argv.slice(2));
}
