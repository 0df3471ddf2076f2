import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CachedFolder, cachedFolders, foldersToEvict } from "../../../components/storage/scripts/cache-folders.ts";
import { linkModel, waitsFor } from "../../../components/storage/scripts/cached-model.ts";
import {
  type CachePod,
  cachePod,
  NodeCache,
  type NodeCacheArgs,
} from "../../../components/storage/scripts/node-cache.ts";

const GB = 1e9;

/** A node whose cache has room for two models of 10 GB. */
class Node {
  readonly folder = mkdtempSync(join(tmpdir(), "node-cache-"));
  readonly root = join(this.folder, "cache");
  readonly pods: Record<string, (CachePod | undefined)[]> = {};
  readonly revisions: Record<string, string> = {};
  readonly copies: string[] = [];
  free = 100 * GB;
  /** Runs when a folder has its first file. */
  whileCopying: () => void = () => {};
  /** Runs before the pods of a model are listed. */
  beforeList: (model: string) => void = () => {};

  constructor(...models: string[]) {
    mkdirSync(this.root);
    for (const model of models) {
      this.revisions[model] = "1";
      this.pods[model] = [];
    }
  }

  manifest(model: string): string {
    const files = [{ path: `${this.revisions[model]}.safetensors`, size: 10 * GB, sha256: "" }];
    return JSON.stringify({ repository: model, commit: this.revisions[model], files });
  }

  sha256(model: string): string {
    return createHash("sha256").update(this.manifest(model)).digest("hex");
  }

  cache(changes: Partial<NodeCacheArgs> = {}): NodeCache {
    return new NodeCache({
      root: this.root,
      capacityBytes: 20 * GB,
      models: Object.keys(this.revisions).map((model) => ({ model, namespace: `model-${model}`, prefix: model })),
      podsOf: async ({ model }) => {
        this.beforeList(model);
        return (this.pods[model] ?? []).flatMap((pod) => pod ?? []);
      },
      manifestOf: async ({ model }) => this.manifest(model),
      copy: async ({ model }, _, folder) => {
        this.copies.push(model);
        writeFileSync(join(folder, `${this.revisions[model]}.safetensors`), model);
        this.whileCopying();
      },
      freeBytes: () => this.free,
      ...changes,
    });
  }

  /** A pod's init container looks once. @returns whether its engine may start. */
  link(model: string, pod = `${model}-0`): boolean {
    const folder = join(this.folder, pod);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "pin"), this.sha256(model));
    return linkModel({
      cache: join(this.root, model),
      target: join(folder, "target"),
      pin: join(folder, "pin"),
      terminationLog: join(folder, "termination-log"),
    });
  }

  /** A pod that waits, then one pass, then the pod's link: how every start goes. */
  async start(model: string, cache = this.cache()): Promise<boolean> {
    this.pods[model] = [{ uses: undefined }];
    await cache.pass();
    const isLinked = this.link(model);
    if (isLinked) {
      this.pods[model] = [{ uses: this.sha256(model) }];
      await cache.pass();
    }
    return isLinked;
  }

  /** Pods end; the model was last used so many seconds ago. */
  end(model: string, seconds: number): void {
    this.pods[model] = [];
    const then = Date.now() / 1000 - seconds;
    utimesSync(`${join(this.root, model, this.sha256(model))}.used`, then, then);
  }

  cached(): string[] {
    return [...new Set(cachedFolders(this.root).map(({ model }) => model))].sort();
  }

  status(model: string): string {
    return readFileSync(join(this.root, model, "status"), "utf8");
  }
}

let node: Node;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  node = new Node("a", "b", "c");
});
afterEach(() => {
  rmSync(node.folder, { recursive: true });
  vi.restoreAllMocks();
});

describe("a node's cache with room for two models", () => {
  it("copies what a pod waits for, once, and links it", async () => {
    expect(await node.start("a")).toBe(true);
    expect(await node.start("a")).toBe(true);
    expect(node.copies).toEqual(["a"]);
    const pod = join(node.folder, "a-0");
    const file = "1.safetensors";
    expect(readlinkSync(join(pod, "target", file))).toBe(join(node.root, "a", node.sha256("a"), file));
    expect(readFileSync(join(pod, "termination-log"), "utf8")).toBe(node.sha256("a"));
  });

  it("removes the model used least recently for a third", async () => {
    await node.start("a");
    await node.start("b");
    node.end("a", 60);
    node.end("b", 3600);
    expect(await node.start("c")).toBe(true);
    expect(node.cached()).toEqual(["a", "c"]);
  });

  it("never removes one in use, and says which they are", async () => {
    await node.start("a");
    await node.start("b");
    expect(await node.start("c")).toBe(false);
    expect(node.cached()).toEqual(["a", "b"]);
    expect(node.status("c")).toBe(
      "no room for 10.00 GB of 20.00 GB: in use a 10.00 GB, b 10.00 GB. Raise storage.nodeCacheGiB",
    );
    node.end("b", 1);
    await node.cache().pass();
    expect(node.link("c")).toBe(true);
  });

  it("keeps a model whose pod starts while it is being removed", async () => {
    await node.start("a");
    await node.start("b");
    node.end("a", 3600);
    node.end("b", 60);
    let lists = 0;
    node.beforeList = (model) => {
      // The second list is that of the removal.
      if (model === "a" && ++lists === 2) {
        expect(node.link("a", "new")).toBe(false);
        node.pods.a = [{ uses: undefined }];
      }
    };
    expect(await node.start("c")).toBe(false);
    expect(node.cached()).toEqual(["a", "b"]);
    expect(node.link("a", "new")).toBe(true);
  });

  it("removes nothing while the API server is away", async () => {
    await node.start("a");
    await node.start("b");
    node.end("a", 3600);
    node.pods.c = [{ uses: undefined }];
    const podsOf: NodeCacheArgs["podsOf"] = async ({ model }) => {
      if (model === "a" || model === "b") {
        throw new Error("away");
      }
      return (node.pods[model] ?? []).flatMap((pod) => pod ?? []);
    };
    await node.cache({ podsOf }).pass();
    expect(node.cached()).toEqual(["a", "b"]);
  });

  it("goes on after it was killed while copying: nothing is linked before, and no room is lost", async () => {
    await node.start("a");
    node.end("a", 3600);
    node.whileCopying = () => {
      throw new Error("killed");
    };
    expect(await node.start("b")).toBe(false);
    expect(node.status("b")).toBe("copying failed: killed");
    node.whileCopying = () => {};
    expect(await node.start("b")).toBe(true);
    expect(node.copies).toEqual(["a", "b", "b"]);
    expect(cachedFolders(node.root).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(20 * GB);
  });

  it("takes a removal that was cut off for a copy that is not complete", async () => {
    await node.start("a");
    const folder = join(node.root, "a", node.sha256("a"));
    rmSync(`${folder}.complete`);
    rmSync(join(folder, "1.safetensors"));
    expect(node.link("a", "next")).toBe(false);
    expect(await node.start("a")).toBe(true);
  });

  it("keeps the files of a revision until its pods are gone, and makes room of them then", async () => {
    await node.start("a");
    const old = node.sha256("a");
    node.revisions.a = "2";
    node.pods.a = [{ uses: old }, { uses: undefined }];
    await node.cache().pass();
    expect(node.link("a", "new")).toBe(true);
    expect(cachedFolders(node.root).map(({ sha256 }) => sha256)).toEqual([old, node.sha256("a")].sort());
    node.pods.a = [{ uses: node.sha256("a") }];
    expect(await node.start("b")).toBe(true);
    expect(existsSync(join(node.root, "a", old))).toBe(false);
    expect(node.cached()).toEqual(["a", "b"]);
  });

  it("removes models that no longer take the cache when it needs their room, once their last pods have gone", async () => {
    await node.start("a");
    await node.start("b");
    const used = `${join(node.root, "a", node.sha256("a"))}.used`;
    delete node.revisions.a;
    delete node.pods.a;
    expect(await node.start("c")).toBe(false);
    expect(node.cached()).toEqual(["a", "b"]);
    const before = Date.now() / 1000 - 3601;
    utimesSync(used, before, before);
    expect(await node.start("c")).toBe(true);
    expect(node.cached()).toEqual(["b", "c"]);
  });

  it("says that the disk is full", async () => {
    node.free = 2 * GB;
    expect(await node.start("a")).toBe(false);
    expect(node.status("a")).toBe("the node's disk has 2.00 GB left, and the model takes 10.00 GB");
  });

  it("goes on with a copy that was cut off where the disk has room for the rest alone", async () => {
    const written = 2 ** 20;
    const cutOff = node.cache({
      copy: async (_, __, folder) => {
        writeFileSync(join(folder, "part"), Buffer.alloc(written, 1));
        throw new Error("cut off");
      },
    });
    expect(await node.start("a", cutOff)).toBe(false);
    node.free = 10 * GB - written;
    expect(await node.start("a")).toBe(true);
  });

  it("has every file on the disk before it says so", async () => {
    const any = await open(node.root);
    const sync = vi.spyOn(Object.getPrototypeOf(any) as FileHandle, "sync");
    await any.close();
    const marker = join(node.root, "a", `${node.sha256("a")}.complete`);
    const wasComplete: boolean[] = [];
    sync.mockImplementation(async () => void wasComplete.push(existsSync(marker)));
    expect(await node.start("a")).toBe(true);
    sync.mockRestore();
    // The folder and its file.
    expect(wasComplete).toEqual([false, false]);
  });

  it("opens a model's folder that a kubelet with a strict umask made to engines", async () => {
    mkdirSync(join(node.root, "a"), { mode: 0o700 });
    await node.start("a");
    expect(statSync(join(node.root, "a")).mode & 0o777).toBe(0o755);
  });

  it("waits for a model that no Job has copied yet, and goes on with the others", async () => {
    node.pods.a = [{ uses: undefined }];
    node.pods.b = [{ uses: undefined }];
    const manifestOf: NodeCacheArgs["manifestOf"] = async ({ model }) =>
      model === "a" ? undefined : node.manifest(model);
    await node.cache({ manifestOf }).pass();
    expect(node.status("a")).toContain("its sync Job has not finished");
    expect(node.link("b")).toBe(true);
  });
});

describe("an engine's init container", () => {
  it("says what it waits for", async () => {
    const pin = join(node.root, "pin");
    const cache = join(node.root, "a");
    expect(waitsFor({ cache, pin })).toContain("has not reported");
    writeFileSync(pin, node.sha256("a"));
    expect(waitsFor({ cache, pin })).toContain("has not begun to copy");
    await node.start("b");
    await node.start("c");
    await node.start("a");
    expect(waitsFor({ cache, pin })).toContain("Raise storage.nodeCacheGiB");
  });

  it("takes no pin that is no hash", () => {
    const pin = join(node.root, "pin");
    mkdirSync(join(node.root, "a"), { recursive: true });
    writeFileSync(pin, "../b/secret");
    writeFileSync(join(node.root, "a", "x.complete"), "");
    expect(linkModel({ cache: join(node.root, "a"), target: node.root, pin, terminationLog: "/nowhere" })).toBe(false);
  });
});

describe("cachePod", () => {
  const sha256 = "a".repeat(64);
  const spec = { volumes: [{ persistentVolumeClaim: { claimName: "node-cache" } }] };
  const ended = (exitCode: number, message: string) => ({
    phase: "Running",
    initContainerStatuses: [{ name: "cached-weights", state: { terminated: { exitCode, message } } }],
  });
  const seen = (pod: Parameters<typeof cachePod>[0]) => cachePod(pod, "node-cache", "cached-weights");

  it("reads which files a pod uses from its init container's message", () => {
    expect(seen({ spec, status: ended(0, `${sha256}\n`) })).toEqual({ uses: sha256 });
  });

  it("takes anything else for a pod that waits, which may use any", () => {
    for (const status of [undefined, {}, { phase: "Pending" }, ended(1, sha256), ended(0, ""), ended(0, "../..")]) {
      expect(seen({ spec, ...(status && { status }) })).toEqual({ uses: undefined });
    }
  });

  it("knows no pods without the cache, and none that have ended", () => {
    expect(seen({ spec: {} })).toBeUndefined();
    expect(seen({ spec: { volumes: [{ persistentVolumeClaim: { claimName: "other" } }] } })).toBeUndefined();
    expect(seen({ spec, status: { phase: "Succeeded" } })).toBeUndefined();
    expect(seen({ spec, status: { phase: "Failed" } })).toBeUndefined();
  });
});

describe("foldersToEvict", () => {
  const folder = fc.record({
    model: fc.constantFrom("a", "b", "c", "d"),
    sha256: fc.uuid(),
    bytes: fc.nat(50),
    usedAt: fc.nat(1000),
  });

  it("makes enough room, of what nobody holds, oldest first and no more than it takes", () => {
    fc.assert(
      fc.property(
        fc.array(folder),
        fc.nat(100),
        fc.nat(200),
        fc.constantFrom("a", "b", "none"),
        (folders, bytes, capacityBytes, held) => {
          const isHeld = ({ model }: CachedFolder) => model === held;
          const evicted = foldersToEvict(folders, isHeld, { bytes, capacityBytes });
          const sum = (list: readonly CachedFolder[]) => list.reduce((total, each) => total + each.bytes, 0);
          if (evicted === undefined) {
            expect(sum(folders.filter(isHeld)) + bytes).toBeGreaterThan(capacityBytes);
            return;
          }
          expect(evicted.some(isHeld)).toBe(false);
          const left = folders.filter((each) => !evicted.includes(each));
          expect(sum(left) + bytes).toBeLessThanOrEqual(capacityBytes);
          const last = evicted.at(-1);
          if (last) {
            expect(sum(left) + last.bytes + bytes).toBeGreaterThan(capacityBytes);
            expect(left.filter((each) => !isHeld(each)).every(({ usedAt }) => usedAt >= last.usedAt)).toBe(true);
          }
        },
      ),
    );
  });
});
