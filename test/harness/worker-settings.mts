import { fileURLToPath } from "node:url";
import type { UserWorkspaceConfig } from "vitest/config";
import { keptTransforms } from "./kept-transforms.mts";

/**
 * Most code runs too seldom to be worth optimizing: V8 optimizes what ran 16 times as much as by default. Node 22 and later count calls
 * instead, refuse this option, and keep their default.
 */
const COMPILER = process.versions.node.startsWith("20.") ? [`--interrupt-budget=${16 * 66 * 1024}`] : [];

const transforms = keptTransforms(fileURLToPath(new URL("../..", import.meta.url)));

/** How the workers of every suite run the program: for `npm test`, real parts, nightly and engines alike. */
export const WORKER_SETTINGS = {
  pool: "forks",
  // Most of what a run leaves behind dies young, given room for it: with a quarter of this, everything took a fifth more CPU time.
  execArgv: ["--max-semi-space-size=256", "--min-semi-space-size=128", ...COMPILER],
  experimental: { fsModuleCache: transforms !== undefined, fsModuleCachePath: transforms },
} satisfies UserWorkspaceConfig["test"];
