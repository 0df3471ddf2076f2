/**
 * Waits until the node's cache has a model, and links its files into the pod: `node cached-model.ts`, the init container
 * of an engine. The links say which files this pod uses, and its termination message says it to the cache, which keeps them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { completeMarker, SHA256, STATUS } from "./cache-folders.ts";
import { environmentVariable, runMain } from "./retry.ts";

export interface CachedModel {
  /** The model's folder in the cache, mounted read-only. */
  readonly cache: string;
  /** Folder of the engine. */
  readonly target: string;
  /** File with the SHA-256 of the manifest, once a sync Job has reported it. */
  readonly pin: string;
  /** File that Kubernetes reads as termination message. */
  readonly terminationLog: string;
}

/** @returns whether the files are linked; false: not cached yet. */
export function linkModel({ cache, target, pin, terminationLog }: CachedModel): boolean {
  const sha256 = textOf(pin);
  if (!SHA256.test(sha256)) {
    return false;
  }
  const folder = join(cache, sha256);
  if (!existsSync(completeMarker(folder))) {
    return false;
  }
  mkdirSync(target, { recursive: true });
  for (const leftover of readdirSync(target)) {
    rmSync(join(target, leftover), { recursive: true });
  }
  for (const entry of readdirSync(folder)) {
    symlinkSync(join(folder, entry), join(target, entry));
  }
  writeFileSync(terminationLog, sha256);
  return true;
}

/** Why it waits. */
export function waitsFor({ cache, pin }: Pick<CachedModel, "cache" | "pin">): string {
  const sha256 = textOf(pin);
  if (!SHA256.test(sha256)) {
    return "the sync Job of this model has not reported what it copied";
  }
  return (
    textOf(join(cache, STATUS)) ||
    "the node's cache has not begun to copy this model: is its pod in node-cache running?"
  );
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}

async function main(): Promise<void> {
  const model: CachedModel = {
    cache: environmentVariable("CACHE"),
    target: environmentVariable("TARGET"),
    pin: environmentVariable("MANIFEST_PIN"),
    terminationLog: environmentVariable("TERMINATION_LOG"),
  };
  for (let said = ""; !linkModel(model); await sleep(1000)) {
    const reason = waitsFor(model);
    if (reason !== said) {
      console.log(`waits: ${reason}`);
      said = reason;
    }
  }
  console.log("linked");
}

if (process.env.RUN === "cached-model") {
  runMain(main);
}
