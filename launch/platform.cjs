// @ts-check
// The platform that the index.ts of a project defines, where the project depends on this package.
const { mkdirSync, rmSync } = require("node:fs");
const { join } = require("node:path");

/**
 * @param {string} [project] its folder
 * @returns {import("../platform/define-platform").Platform}
 */
function loadPlatform(project = process.cwd()) {
  const { buildSync } = require("esbuild");
  // Below node_modules, where packages of the project are found.
  const folder = join(project, "node_modules", ".cache", "inference-stacks");
  const outfile = join(folder, `program.${process.pid}.cjs`);
  mkdirSync(folder, { recursive: true });
  buildSync({
    absWorkingDir: project,
    entryPoints: ["./index.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "cjs",
    sourcemap: "inline",
    logLevel: "error",
  });
  try {
    return require(outfile).default;
  } finally {
    rmSync(outfile, { force: true });
  }
}

module.exports = { loadPlatform };
