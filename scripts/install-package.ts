import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs a package of npm, with what it needs, into `node_modules` of a folder that is not there yet.
 *
 * @param spec name and version, e.g. `renovate@44.121.2`
 * @throws Error with npm's output.
 */
export function installPackage(folder: string, spec: string, scripts = "--ignore-scripts"): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--no-audit", "--no-fund", scripts, spec];
  const { status, stdout, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`npm install ${spec} ended with ${status}:\n${error?.message ?? ""}${stdout}${stderr}`);
  }
}

/** Installs Node.js itself. @param version e.g. `22` for its newest release. */
export function installNode(folder: string, version: string): void {
  // The package "node" fetches its binary in a script; no other package may run one.
  installPackage(folder, `node@${version}`, "--ignore-scripts=false");
}

/** Path of what `installNode` installed. */
export function nodeIn(folder: string): string {
  return join(folder, "node_modules", ".bin", "node");
}
