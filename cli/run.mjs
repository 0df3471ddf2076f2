#!/usr/bin/env node
// Starts a command from a bundle of the program: one file loads in a fraction of the time that hundreds of
// TypeScript files take. The first command makes the bundle; it is made again
// whenever a file that went into it is newer.
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bundle = join(root, "dist", "cli.js");
/** What the bundle was made from, relative to the root. */
const inputs = join(root, "dist", "cli.inputs.json");

function isCurrent() {
  const built = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built === 0 || !existsSync(inputs)) {
    return false;
  }
  return ["package-lock.json", ...JSON.parse(readFileSync(inputs, "utf8"))].every((file) => {
    const changed = statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs;
    return changed !== undefined && changed <= built;
  });
}

async function build() {
  const esbuild = await import("esbuild");
  // Renamed when it is whole: a second command that starts meanwhile must not load half of it.
  const made = `${bundle}.${process.pid}`;
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [join(root, "cli", "main.ts")],
    outfile: made,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // The Pulumi SDK must exist once per process, and finds its own files beside it.
    external: ["@pulumi/pulumi", "@pulumi/pulumi/*", "@pulumi/policy"],
    logLevel: "warning",
    metafile: true,
  });
  // Packages change with the lock file only.
  const own = Object.keys(metafile.inputs).filter((file) => !file.startsWith("node_modules/"));
  writeFileSync(`${made}.inputs`, JSON.stringify(own));
  renameSync(`${made}.inputs`, inputs);
  renameSync(made, bundle);
}

if (process.argv[2] === "--build") {
  await build();
} else {
  if (!isCurrent()) {
    await build();
  }
  await createRequire(import.meta.url)(bundle).run(process.argv.slice(2));
}
