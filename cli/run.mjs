#!/usr/bin/env node
// Starts a command from a bundle of the program: one file loads in a fraction of the time that hundreds of
// TypeScript files take. The first command makes the bundle; it is made again
// whenever a file that went into it is newer.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bundle = join(root, "dist", "cli.js");
/** What the bundle was made from, relative to the root. */
const inputs = join(root, "dist", "cli.inputs.json");

function isCurrent() {
  if (!existsSync(bundle) || !existsSync(inputs)) {
    return false;
  }
  const built = statSync(bundle).mtimeMs;
  return ["package-lock.json", ...JSON.parse(readFileSync(inputs, "utf8"))].every((file) => {
    const changed = statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs;
    return changed !== undefined && changed <= built;
  });
}

/** Ends the command where the bundle has no place. */
function requireWritable(file) {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
  } catch (error) {
    process.stderr.write(
      `${dirname(file)} cannot be written (${error.code}): commands run from a bundle that the first of them makes there. ` +
        `Let this user write to the folder, or make it as one who may: node cli/run.mjs --build\n`,
    );
    process.exit(2);
  }
}

async function build() {
  // Renamed when it is whole: a second command that starts meanwhile must not load half of it.
  const made = `${bundle}.${process.pid}`;
  requireWritable(made);
  const esbuild = await import("esbuild");
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
