#!/usr/bin/env node
// Starts a command from a bundle of the program: one file loads in a fraction of the time that hundreds of
// TypeScript files take. `npm ci` makes the bundle; it is made again whenever a source file is newer.
import { readdirSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bundle = join(root, "dist", "cli.js");
const sources = ["catalog", "cli", "components", "planner", "policies", "rehearsal", "stacks"];

function newest(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((time, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? time : Math.max(time, newest(path));
    return /\.(ts|mjs|json)$/.test(entry.name) ? Math.max(time, statSync(path).mtimeMs) : time;
  }, 0);
}

function isCurrent() {
  const built = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    statSync(join(root, "package-lock.json")).mtimeMs <= built && sources.every((s) => newest(join(root, s)) <= built)
  );
}

async function build() {
  const esbuild = await import("esbuild");
  // Renamed when it is whole: a second command that starts meanwhile must not load half of it.
  const made = `${bundle}.${process.pid}`;
  await esbuild.build({
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
  });
  renameSync(made, bundle);
}

if (process.argv[2] === "--build") {
  await build();
} else {
  if (!isCurrent()) await build();
  // The SDK records a stack trace for every resource; nobody reads them here, and they double the time.
  if (!process.env.INFERENCE_STACKS_TRACES) Error.stackTraceLimit = 0;
  await createRequire(import.meta.url)(bundle).run(process.argv.slice(2));
}
