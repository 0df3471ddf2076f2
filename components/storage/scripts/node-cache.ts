/**
 * A node's cache of weights: `node node-cache.ts`, one pod on each node that serves models. It copies what pods on its node
 * wait for, and removes what was used least recently, never what a pod uses.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  bytesOnDisk,
  type CachedFolder,
  cachedFolders,
  completeMarker,
  flush,
  folderPath,
  foldersToEvict,
  markUsed,
  removeFolder,
  SHA256,
  STATUS,
} from "./cache-folders.ts";
import { type Pod, podsOfNode } from "./kubernetes.ts";
import { MANIFEST, type Manifest } from "./model-files.ts";
import { describe, environmentVariable, runMain } from "./retry.ts";
import { S3Bucket } from "./s3.ts";

export interface CachedModelSource {
  readonly model: string;
  readonly namespace: string;
  /** Key prefix in the store. */
  readonly prefix: string;
}

/** A pod of this node that takes a model from the cache. */
export interface CachePod {
  /** SHA-256 of the manifest whose files it uses; undefined while it waits. */
  readonly uses: string | undefined;
}

export interface NodeCacheArgs {
  readonly root: string;
  readonly capacityBytes: number;
  readonly models: readonly CachedModelSource[];
  /** Pods of this node with the model, as the API server knows them now. */
  readonly podsOf: (source: CachedModelSource) => Promise<readonly CachePod[]>;
  /** Text of the model's manifest; undefined before its first sync. */
  readonly manifestOf: (source: CachedModelSource) => Promise<string | undefined>;
  /** Copies every file of the manifest with this SHA-256 into a folder; goes on with what is there. */
  readonly copy: (source: CachedModelSource, sha256: string, folder: string) => Promise<void>;
  /** Bytes that the file system has left. */
  readonly freeBytes: () => number;
}

/** How long pods of a model that no longer takes the cache may go on with its files: until its new pods are ready. */
const LEAVING_MS = 3_600_000;

/** By model; undefined where the API server did not answer: then its folders stay. */
type Pods = ReadonlyMap<string, readonly CachePod[] | undefined>;

export class NodeCache {
  private readonly args: NodeCacheArgs;

  constructor(args: NodeCacheArgs) {
    this.args = args;
  }

  /** Copies what pods wait for, one model after the other. A failure of one is no other's. */
  async pass(): Promise<void> {
    const pods: Pods = new Map(
      await Promise.all(this.args.models.map(async (source) => [source.model, await this.podsOf(source)] as const)),
    );
    for (const folder of cachedFolders(this.args.root)) {
      if (pods.get(folder.model)?.some(({ uses }) => uses === folder.sha256)) {
        markUsed(folderPath(this.args.root, folder));
      }
    }
    for (const source of this.args.models) {
      if (pods.get(source.model)?.some(({ uses }) => uses === undefined)) {
        await this.provide(source, pods).catch((error: unknown) =>
          this.say(source, `copying failed: ${describe(error)}`),
        );
      }
    }
  }

  private async provide(source: CachedModelSource, pods: Pods): Promise<void> {
    const { root, manifestOf, copy } = this.args;
    const text = await manifestOf(source);
    if (text === undefined) {
      this.say(source, "the model store has no manifest of this model: its sync Job has not finished");
      return;
    }
    const sha256 = createHash("sha256").update(text).digest("hex");
    const folder = folderPath(root, { model: source.model, sha256 });
    if (existsSync(completeMarker(folder))) {
      return;
    }
    const bytes = (JSON.parse(text) as Manifest).files.reduce((sum, { size }) => sum + size, 0);
    if (!(await this.makeRoom(source, { sha256, bytes }, pods))) {
      return;
    }
    // Before the first file: a crash leaves nothing whose size is unknown.
    mkdirSync(join(root, source.model), { recursive: true });
    // A kubelet with the umask 027 makes it without the rights of engines, which are not root.
    chmodSync(join(root, source.model), 0o755);
    writeFileSync(`${folder}.json`, JSON.stringify({ bytes }));
    mkdirSync(folder, { recursive: true });
    this.say(source, `copies ${gigabytes(bytes)}`);
    await copy(source, sha256, folder);
    await flush(folder);
    markUsed(folder);
    writeFileSync(completeMarker(folder), "");
    this.say(source, `complete, ${gigabytes(bytes)}`);
  }

  /** @returns whether the model fits now. */
  private async makeRoom(
    source: CachedModelSource,
    wanted: { readonly sha256: string; readonly bytes: number },
    pods: Pods,
  ): Promise<boolean> {
    const { root, capacityBytes, freeBytes } = this.args;
    const others = cachedFolders(root).filter(
      ({ model, sha256 }) => model !== source.model || sha256 !== wanted.sha256,
    );
    const isHeld = ({ model, sha256, usedAt }: CachedFolder) =>
      pods.has(model) ? holds(pods.get(model), sha256) : Date.now() - usedAt < LEAVING_MS;
    const evicted = foldersToEvict(others, isHeld, { bytes: wanted.bytes, capacityBytes });
    if (evicted === undefined) {
      const used = others.filter(isHeld).map(({ model, bytes }) => `${model} ${gigabytes(bytes)}`);
      this.say(
        source,
        `no room for ${gigabytes(wanted.bytes)} of ${gigabytes(capacityBytes)}: in use ${used.join(", ") || "nothing"}. Raise storage.nodeCacheGiB`,
      );
      return false;
    }
    for (const folder of evicted) {
      if (!(await this.evict(folder))) {
        return false;
      }
    }
    const free = freeBytes();
    // A copy that was cut off goes on with what is there.
    const missing = wanted.bytes - bytesOnDisk(folderPath(root, { model: source.model, sha256: wanted.sha256 }));
    if (free < missing) {
      this.say(source, `the node's disk has ${gigabytes(free)} left, and the model takes ${gigabytes(missing)}`);
      return false;
    }
    return true;
  }

  /**
   * A pod may start while this decides. It links files only where the marker is: without it, pods that the API server
   * names afterwards are all that may have linked them.
   */
  private async evict(folder: CachedFolder): Promise<boolean> {
    const path = folderPath(this.args.root, folder);
    const wasComplete = existsSync(completeMarker(path));
    rmSync(completeMarker(path), { force: true });
    const source = this.args.models.find(({ model }) => model === folder.model);
    if (source && holds(await this.podsOf(source), folder.sha256)) {
      if (wasComplete) {
        writeFileSync(completeMarker(path), "");
      }
      return false;
    }
    removeFolder(path);
    console.log(`${folder.model}: removed ${gigabytes(folder.bytes)}, used least recently`);
    return true;
  }

  private podsOf(source: CachedModelSource): Promise<readonly CachePod[] | undefined> {
    return this.args.podsOf(source).catch((error: unknown) => {
      console.error(describe(error));
      return undefined;
    });
  }

  private say({ model }: CachedModelSource, status: string): void {
    const path = join(this.args.root, model, STATUS);
    if (!existsSync(path) || readFileSync(path, "utf8") !== status) {
      mkdirSync(join(this.args.root, model), { recursive: true });
      writeFileSync(path, status);
      console.log(`${model}: ${status}`);
    }
  }
}

/** A pod that waits may have linked any folder of its model: its state is known a moment later. */
function holds(pods: readonly CachePod[] | undefined, sha256: string): boolean {
  return pods === undefined || pods.some(({ uses }) => uses === undefined || uses === sha256);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

/**
 * What a pod of the node takes from the cache.
 *
 * @param claim name of the claim that its cache is mounted by.
 * @param container that links the files.
 * @returns undefined for pods without the cache, and for those that have ended.
 */
export function cachePod({ spec, status = {} }: Pod, claim: string, container: string): CachePod | undefined {
  const hasCache = spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim);
  if (!hasCache || status.phase === "Succeeded" || status.phase === "Failed") {
    return undefined;
  }
  const ended = status.initContainerStatuses?.find(({ name }) => name === container)?.state?.terminated;
  const sha256 = ended?.exitCode === 0 ? (ended.message ?? "").trim() : "";
  return { uses: SHA256.test(sha256) ? sha256 : undefined };
}

/** The script that engines' pods copy with, in a process of its own. */
function copyByScript(script: string): NodeCacheArgs["copy"] {
  return ({ prefix }, sha256, folder) => {
    const pin = join("/tmp", sha256);
    writeFileSync(pin, sha256);
    const environment = { ...process.env, RUN: "fetch", PREFIX: prefix, TARGET: folder, MANIFEST_PIN: pin };
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [...process.execArgv, script], { env: environment, stdio: "inherit" });
      child.once("error", reject);
      child.once("exit", (code) => {
        rmSync(pin, { force: true });
        return code === 0 ? resolve() : reject(new Error("see the log of the cache's pod on this node"));
      });
    });
  };
}

/** Between two looks at the node's pods. */
const PERIOD_MS = 2_000;

async function main(script: string): Promise<void> {
  const root = environmentVariable("CACHE");
  const node = environmentVariable("NODE_NAME");
  const claim = environmentVariable("CLAIM");
  const container = environmentVariable("CONTAINER");
  const models = JSON.parse(readFileSync(environmentVariable("MODELS"), "utf8")) as { models: CachedModelSource[] };
  const cache = new NodeCache({
    root,
    capacityBytes: Number(environmentVariable("CAPACITY_BYTES")),
    models: models.models,
    podsOf: async ({ namespace }) =>
      (await podsOfNode(namespace, node)).flatMap((pod) => cachePod(pod, claim, container) ?? []),
    manifestOf: ({ prefix }) => S3Bucket.fromEnvironment().text(`${prefix}/${MANIFEST}`),
    copy: copyByScript(join(dirname(script), "fetch.ts")),
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(root);
      return bavail * bsize;
    },
  });
  // A pass may copy for many minutes: probes ask whether the process answers.
  createServer((_, response) => void response.writeHead(200).end()).listen(Number(environmentVariable("PORT")));
  for (;;) {
    await cache.pass().catch((error: unknown) => console.error(describe(error)));
    await sleep(PERIOD_MS);
  }
}

if (process.env.RUN === "node-cache") {
  runMain(() => main(process.argv[1] ?? ""));
}
