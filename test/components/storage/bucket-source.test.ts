/** Weights of a bucket elsewhere: what the sync script copies of it, resumes, and refuses. */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { BucketRepository } from "../../../components/storage/scripts/bucket-repository.ts";
import { modelFiles } from "../../../components/storage/scripts/choices.ts";
import { contentHash } from "../../../components/storage/scripts/content-id.ts";
import type { Manifest } from "../../../components/storage/scripts/model-files.ts";
import { S3Bucket } from "../../../components/storage/scripts/s3.ts";
import { sync } from "../../../components/storage/scripts/sync.ts";
import { etagOf, type FakeBucket, type FakeObject, fakeBucket } from "./fake-bucket";
import { type FakeStore, fakeStore, sha256 } from "./fakes";
import { SMALL_PART_BYTES, SmallPartsBucket } from "./small-parts";

const WRITER = { accessKeyId: "writer", secretAccessKey: "secret", region: "us-east-1" };
const FILES: Readonly<Record<string, FakeObject>> = {
  "llama/v3/config.json": { body: Buffer.from("{}") },
  "llama/v3/model.safetensors": { body: randomBytes(SMALL_PART_BYTES + 1000), partBytes: SMALL_PART_BYTES / 4 },
  "llama/v3/tokenizer.json": { body: randomBytes(2000) },
  "llama/v3/": { body: Buffer.alloc(0) },
  "llama/v30/config.json": { body: Buffer.from("[]") },
};
const COPIED = ["config.json", "model.safetensors", "tokenizer.json"];

describe("a bucket elsewhere", () => {
  let source: FakeBucket;
  let store: FakeStore;
  let pins: string[];
  let asked: MockInstance<typeof fetch>;

  beforeEach(async () => {
    vi.spyOn(console, "log").mockReturnValue(undefined);
    vi.spyOn(console, "error").mockReturnValue(undefined);
    asked = vi.spyOn(globalThis, "fetch");
    [source, store] = await Promise.all([fakeBucket("corp", FILES), fakeStore("models")]);
    pins = [];
  });
  afterEach(async () => {
    await quiet();
    vi.restoreAllMocks();
    await Promise.all([source.close(), store.close()]);
  });

  /** The first failure of a copy leaves the others running, which must not meet the servers of other tests. */
  async function quiet(): Promise<void> {
    for (let seen = -1; seen !== asked.mock.calls.length; ) {
      seen = asked.mock.calls.length;
      await setTimeout(200);
    }
  }

  function run(accessKeyId = "reader", prefix = "llama/v3"): Promise<Manifest> {
    const bucket = new S3Bucket(source.url, "corp", { accessKeyId, secretAccessKey: "secret", region: "eu-central-1" });
    return sync({
      hub: new BucketRepository(bucket, prefix),
      revision: "",
      bucket: new SmallPartsBucket(store.url, "models", WRITER),
      prefix: "chat",
      choose: modelFiles({ safetensorsOnly: false, withCode: false }),
      pin: async (digest) => void pins.push(digest),
      retries: { attempts: 2, firstDelayMs: 1 },
    });
  }

  const stored = () => [...store.objects.keys()].map((key) => key.slice("chat/".length)).sort();
  const bodyOf = (path: string) => store.objects.get(`chat/${path}`)?.body ?? Buffer.alloc(0);

  it("is copied with a manifest of its own hashes, and nothing of its neighbours", async () => {
    const { repository, commit, files } = await run();
    expect(repository).toBe("s3://corp/llama/v3");
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(files).toEqual(
      COPIED.map((path) => {
        const { body } = FILES[`llama/v3/${path}`] ?? expect.fail(path);
        return { path, size: body.length, sha256: sha256(body) };
      }),
    );
    expect(stored()).toEqual([".manifest.json", ...COPIED]);
    expect(pins).toEqual([sha256(bodyOf(".manifest.json"))]);
  });

  it("is read once: a second run finds every file, by its content", async () => {
    await run();
    const before = source.read.length;
    await run();
    expect(source.read.length).toBe(before);
    store.objects.set("chat/tokenizer.json", {
      body: randomBytes(2000),
      metadata: store.objects.get("chat/tokenizer.json")?.metadata ?? {},
    });
    await run();
    expect(source.read.slice(before)).toEqual(["llama/v3/tokenizer.json 0"]);
  });

  it("goes on where a connection broke", async () => {
    source.breakAfter = (5 / 32) * SMALL_PART_BYTES;
    await run();
    const parts = source.read.filter((read) => read.includes("model.safetensors"));
    expect(parts).toHaveLength(2);
    expect(sha256(bodyOf("model.safetensors"))).toBe(
      sha256(FILES["llama/v3/model.safetensors"]?.body ?? Buffer.alloc(0)),
    );
  });

  it("is copied anew where its server ignores ranges: whole answers are no rest of a file", async () => {
    source.breakAfter = (5 / 32) * SMALL_PART_BYTES;
    source.ignoresRanges = true;
    await run();
    const said = vi.mocked(console.error).mock.calls.map(([line]) => String(line));
    expect(said.filter((line) => /cannot resume at byte \d+/.test(line)).length).toBeGreaterThan(0);
    expect(sha256(bodyOf("model.safetensors"))).toBe(
      sha256(FILES["llama/v3/model.safetensors"]?.body ?? Buffer.alloc(0)),
    );
  });

  it.each<[string, Partial<FakeObject>]>([
    ["written at once", { etagOf: randomBytes(SMALL_PART_BYTES + 1000) }],
    ["written in parts", { etagOf: randomBytes(SMALL_PART_BYTES + 1000), partBytes: SMALL_PART_BYTES / 4 }],
  ])("is refused where its content is not what its entity tag says: %s", async (_, changes) => {
    source.objects.set("llama/v3/model.safetensors", { body: randomBytes(SMALL_PART_BYTES + 1000), ...changes });
    await expect(run()).rejects.toThrow(/model\.safetensors: the content has id .*, s3:\/\/corp\/llama\/v3 lists/);
    expect(stored()).not.toContain("model.safetensors");
    expect(stored()).not.toContain(".manifest.json");
    expect(store.uploads.size).toBe(0);
    expect(pins).toEqual([]);
  });

  it("is taken as it comes where a key service encrypts it: its entity tag is no hash", async () => {
    const body = randomBytes(SMALL_PART_BYTES + 5);
    source.objects.set("llama/v3/model.safetensors", { body, partBytes: SMALL_PART_BYTES, isEncrypted: true });
    const { files } = await run();
    expect(files.find(({ path }) => path === "model.safetensors")?.sha256).toBe(sha256(body));
  });

  it("is refused where an object is replaced between list and download", async () => {
    const { files } = BucketRepository.prototype;
    vi.spyOn(BucketRepository.prototype, "files").mockImplementation(async function (this: BucketRepository) {
      const listed = await files.call(this);
      source.objects.set("llama/v3/config.json", { body: Buffer.from('{"x":1}') });
      return listed;
    });
    await expect(run()).rejects.toThrow(/412 PreconditionFailed/);
    expect(stored()).not.toContain(".manifest.json");
  });

  it("with wrong keys is refused at once, and nothing is written", async () => {
    await expect(run("stranger")).rejects.toThrow(/403 InvalidAccessKeyId no such key/);
    expect([stored(), pins]).toEqual([[], []]);
  });

  it.each([
    ["nothing lies there", "llama/v4", {}, /holds no files: correct the prefix/],
    ["a name leads elsewhere", "llama/v3", { "llama/v3/../../x": { body: Buffer.from("x") } }, /names files outside/],
    ["there are no weights", "llama/v30", {}, /./],
  ])("is refused where %s", async (_, prefix, more, says) => {
    for (const [key, object] of Object.entries(more)) {
      source.objects.set(key, object);
    }
    await expect(run("reader", prefix)).rejects.toThrow(says);
    expect(stored()).not.toContain(".manifest.json");
  });
});

describe("an entity tag", () => {
  it("is computed whatever the chunks are", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 120 }),
        cuts,
        (bytes, part, at) => {
          const body = Buffer.from(bytes);
          const value = etagOf({ body, partBytes: part });
          const hash = contentHash({ path: "x", size: body.length, gitBlob: "", etag: { value, partBytes: part } });
          const ends = [...at.map((cut) => Math.min(cut, body.length)), body.length].sort((a, b) => a - b);
          ends.forEach((end, i) => void hash?.update(body.subarray(ends[i - 1] ?? 0, end)));
          expect(hash?.id()).toBe(value);
        },
      ),
    );
  });
});
