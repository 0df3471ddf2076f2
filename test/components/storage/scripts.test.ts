import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { modelFiles } from "../../../components/storage/scripts/choices.ts";
import { fetchFile, pinnedManifest, wantedFiles } from "../../../components/storage/scripts/fetch.ts";
import { HuggingFaceRepository } from "../../../components/storage/scripts/hugging-face.ts";
import { FinalError } from "../../../components/storage/scripts/retry.ts";
import { signedHeaders } from "../../../components/storage/scripts/s3-signature.ts";
import { type SyncRequest, sync } from "../../../components/storage/scripts/sync.ts";
import { COMMIT, type FakeHub, type FakeStore, fakeHub, fakeStore, sha256 } from "./fakes";
import { COPIED, index, REPOSITORY, shard } from "./repository";
import { SMALL_PART_BYTES, SmallPartsBucket } from "./small-parts";

const KEY = { accessKeyId: "writer", secretAccessKey: "secret", region: "us-east-1" };
describe("signedHeaders", () => {
  it("reproduces the example of the documentation of Signature Version 4", () => {
    const headers = signedHeaders(
      {
        method: "GET",
        url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
        headers: { range: "bytes=0-9" },
      },
      {
        accessKeyId: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region: "us-east-1",
      },
      new Date("2013-05-24T00:00:00Z"),
    );
    expect(headers.authorization).toBe(
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request," +
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date," +
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });
});

describe("with servers", () => {
  let hub: FakeHub;
  let store: FakeStore;
  let folder: string;

  beforeEach(async () => {
    vi.spyOn(console, "log").mockReturnValue(undefined);
    vi.spyOn(console, "error").mockReturnValue(undefined);
    hub = await fakeHub(REPOSITORY);
    store = await fakeStore("models");
    folder = await mkdtemp(join(tmpdir(), "fetch-"));
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all([hub.close(), store.close(), rm(folder, { recursive: true })]);
  });

  const bucket = () => new SmallPartsBucket(store.url, "models", KEY);
  const pins: string[] = [];
  const request = (prefix = "legal/llama", url = hub.url, token?: string): SyncRequest => ({
    hub: new HuggingFaceRepository("org/model", token, url),
    revision: "main",
    bucket: bucket(),
    prefix,
    choose: modelFiles({ safetensorsOnly: false, withCode: false }),
    pin: async (digest) => void pins.push(digest),
  });
  const run = (...where: Parameters<typeof request>) => sync(request(...where));
  const withHub = async <T>(files: Readonly<Record<string, Buffer>>, work: (url: string) => Promise<T>): Promise<T> => {
    const other = await fakeHub(files);
    try {
      return await work(other.url);
    } finally {
      await other.close();
    }
  };
  const keys = () => [...store.objects.keys()].sort();

  it("copies what an engine needs, and a manifest with every checksum", async () => {
    const manifest = await run();
    expect(keys()).toEqual([".manifest.json", ...COPIED].map((path) => `legal/llama/${path}`).sort());
    expect(manifest).toEqual({
      repository: "org/model",
      commit: COMMIT,
      files: COPIED.map((path) => {
        const content = REPOSITORY[path] ?? Buffer.alloc(0);
        return { path, size: content.length, sha256: sha256(content) };
      }),
    });
  });

  it("lists code in the manifest with its checksum, and removes it once it is no longer wanted", async () => {
    const code = "modeling_custom.py";
    const { files } = await sync({ ...request(), choose: modelFiles({ safetensorsOnly: false, withCode: true }) });
    expect(files).toContainEqual({ path: code, size: 9, sha256: sha256(REPOSITORY[code] ?? Buffer.alloc(0)) });
    expect(keys()).toContain(`legal/llama/${code}`);
    await run();
    expect(keys()).not.toContain(`legal/llama/${code}`);
  });

  it("goes on after an interrupted run with the files that are missing", async () => {
    await run();
    store.objects.delete(`legal/llama/${shard(2)}`);
    hub.requests.length = 0;
    await run();
    const downloads = hub.requests.filter((r) => r.includes("/resolve/"));
    expect(downloads.map((r) => r.split("/").pop())).toEqual(["model.safetensors.index.json", shard(2)]);
  });

  it("reports the hash of the manifest that it wrote", async () => {
    await run();
    expect(pins.at(-1)).toBe(sha256(store.objects.get("legal/llama/.manifest.json")?.body ?? Buffer.alloc(0)));
  });

  it("ends with the error of a report that failed, so that the Job tries again", async () => {
    const pin = () => Promise.reject(new FinalError("ConfigMap: 403"));
    await expect(sync({ ...request(), pin })).rejects.toThrow("ConfigMap: 403");
  });

  it("does not take an object's word for its hash", async () => {
    const { files } = await run();
    for (const [key, { body, metadata }] of store.objects) {
      store.objects.set(key, { body: Buffer.from("x".repeat(body.length)), metadata: { ...metadata, sha256: "0" } });
    }
    const again = await run();
    // Small files are read again and mended; large ones keep the Hub's hash, which an engine's pod compares.
    expect(again.files).toEqual(files);
    expect(store.objects.get("legal/llama/config.json")?.body).toEqual(REPOSITORY["config.json"]);
  });

  it("takes up a broken connection where it stopped", async () => {
    hub.breakAfter = 2000;
    await run();
    expect(hub.requests.some((r) => r.endsWith("bytes=2000-"))).toBe(true);
    for (const n of [1, 2]) {
      expect(store.objects.get(`legal/llama/${shard(n)}`)?.body).toEqual(REPOSITORY[shard(n)]);
    }
  });

  it("removes what an earlier revision left under the prefix, and nothing else", async () => {
    const third = "model-00003-of-00003.safetensors";
    const earlier = { ...REPOSITORY, [third]: randomBytes(10), "model.safetensors.index.json": index(shard(1), third) };
    await withHub(earlier, (url) => run("legal/llama", url));
    await bucket().put("legal/llama/notes/by-hand.txt", Buffer.from("by hand"));
    await bucket().put("legal/llama/nested/.manifest.json", Buffer.from("another model's"));
    await bucket().put("legal/llama-2/config.json", Buffer.from("other model"));
    await run();
    expect(keys()).toEqual(
      [
        ...[".manifest.json", "notes/by-hand.txt", "nested/.manifest.json", ...COPIED].map((p) => `legal/llama/${p}`),
        "legal/llama-2/config.json",
      ].sort(),
    );
  });

  it("removes what a sync left that never ended, even when the next one is interrupted too", async () => {
    const stray = "model-00009-of-00009.safetensors";
    const begun = { ...REPOSITORY, [stray]: randomBytes(10), "model.safetensors.index.json": index(stray) };
    const dies = { pin: () => Promise.reject(new FinalError("killed")) };
    await withHub(begun, (url) => expect(sync({ ...request("legal/llama", url), ...dies })).rejects.toThrow("killed"));
    store.objects.delete("legal/llama/.manifest.json");
    await expect(sync({ ...request(), ...dies })).rejects.toThrow("killed");
    expect(keys()).toContain(`legal/llama/${stray}`);
    await run();
    expect(keys()).toEqual([".manifest.json", ...COPIED].map((path) => `legal/llama/${path}`).sort());
  });

  it("deletes nothing outside of its prefix, whatever stands in the manifest that it finds", async () => {
    await bucket().put("legal/victim/config.json", Buffer.from("other model"));
    const files = [{ path: "../victim/config.json", size: 1, sha256: "0" }];
    await bucket().put("legal/llama/.manifest.json", Buffer.from(JSON.stringify({ files })));
    await run();
    expect(keys()).toContain("legal/victim/config.json");
  });

  it("writes nothing for a repository that lists paths outside of itself", async () => {
    await bucket().put("legal/victim/config.json", Buffer.from("other model"));
    const hostile = { "model.safetensors": randomBytes(10), "../victim/config.json": Buffer.from("evil") };
    await withHub(hostile, (url) => expect(run("legal/llama", url)).rejects.toThrow("names files outside of itself"));
    expect(keys()).toEqual(["legal/victim/config.json"]);
  });

  it("follows the Hub's list of files on the Hub alone: the token goes nowhere else", async () => {
    const requests: string[] = [];
    const elsewhere = await listen((url) => {
      requests.push(url);
      return { body: "[]" };
    });
    const first = await listen((url) =>
      url.includes("/revision/")
        ? { body: JSON.stringify({ sha: COMMIT }) }
        : { body: "[]", link: `<${elsewhere.url}/next>; rel="next"` },
    );
    try {
      await expect(run("a", first.url, "hf_secret")).rejects.toThrow(
        `the list of files goes on at ${elsewhere.url}, not at ${first.url}`,
      );
      expect(requests).toEqual([]);
    } finally {
      await Promise.all([first.close(), elsewhere.close()]);
    }
  });

  it("says which repository is gated, without trying again", async () => {
    const gated = await fakeHub(REPOSITORY, "hf_right");
    try {
      await expect(run("a", gated.url, "hf_wrong")).rejects.toThrow(
        /org\/model: Hugging Face answers 401.*huggingFaceToken/,
      );
      expect(gated.requests).toHaveLength(1);
      await expect(run("a", gated.url, "hf_right")).resolves.toMatchObject({ commit: COMMIT });
    } finally {
      await gated.close();
    }
  });

  it("leaves no manifest and names the file when the index lists a shard that is not there", async () => {
    const broken = await fakeHub({ "model.safetensors.index.json": index("gone.safetensors") });
    try {
      await expect(run("a", broken.url)).rejects.toThrow(/lacks: gone\.safetensors/);
      expect(keys()).toEqual([]);
    } finally {
      await broken.close();
    }
  });

  it("refuses PyTorch files for a model that is streamed", async () => {
    const old = await fakeHub({ "pytorch_model.bin": randomBytes(2000) });
    const hubOf = new HuggingFaceRepository("org/old", undefined, old.url);
    try {
      await expect(
        sync({ ...request("a"), hub: hubOf, choose: modelFiles({ safetensorsOnly: true, withCode: false }) }),
      ).rejects.toThrow('org/old has no safetensors files, and only those can be streamed: set loading to "copy"');
    } finally {
      await old.close();
    }
  });

  it("uploads large objects in parts, and drops the parts of a refused one", async () => {
    const content = randomBytes(SMALL_PART_BYTES + 1000);
    const stream = async function* () {
      yield content.subarray(0, 1000);
      yield content.subarray(1000);
    };
    await bucket().upload("big", stream(), { note: "x" }, () => undefined);
    expect(store.objects.get("big")?.body.equals(content)).toBe(true);
    expect(await bucket().head("big")).toEqual({ size: content.length, metadata: { note: "x" } });

    const refuse = () => {
      throw new FinalError("checksum differs");
    };
    await expect(bucket().upload("bad", stream(), {}, refuse)).rejects.toThrow("checksum differs");
    expect(store.objects.has("bad")).toBe(false);
    expect(store.uploads.size).toBe(0);
  });

  it("fetches every file of the manifest, and none a second time", async () => {
    await run();
    const files = await wantedFiles(bucket(), "legal/llama", pins.at(-1));
    expect(files.map((f) => f.path)).toEqual(COPIED);
    for (const file of files) {
      expect(await fetchFile(bucket(), "legal/llama", file, folder)).toBe("copied");
      expect(await readFile(join(folder, file.path))).toEqual(REPOSITORY[file.path]);
      expect(await fetchFile(bucket(), "legal/llama", file, folder)).toBe("present");
    }
  });

  it("replaces a file of another size, such as a download that was cut off", async () => {
    await run();
    await writeFile(join(folder, "config.json"), "{");
    const files = await wantedFiles(bucket(), "legal/llama", pins.at(-1));
    const config = files.find((f) => f.path === "config.json");
    expect(config && (await fetchFile(bucket(), "legal/llama", config, folder))).toBe("copied");
  });

  it("refuses a file whose content is not that of the manifest, and leaves nothing under its name", async () => {
    await run();
    const [file] = await wantedFiles(bucket(), "legal/llama", pins.at(-1));
    if (!file) {
      throw new Error("no file");
    }
    const damaged = Buffer.from("x".repeat(file.size));
    store.objects.set(`legal/llama/${file.path}`, { body: damaged, metadata: {} });
    const fetched = fetchFile(bucket(), "legal/llama", file, folder, { attempts: 3, firstDelayMs: 1 });
    await expect(fetched).rejects.toThrow(/LICENSE\.txt: got 5 bytes with SHA-256/);
    await expect(readFile(join(folder, file.path))).rejects.toThrow("ENOENT");
  });

  it("insists on the manifest where a sync Job should have written one", async () => {
    await bucket().put("own/model.safetensors", Buffer.from("weights"));
    await expect(wantedFiles(bucket(), "own", "0")).rejects.toThrow("s3://models/own/ has no .manifest.json");
    expect(await wantedFiles(bucket(), "own", undefined)).toEqual([{ path: "model.safetensors", size: 7 }]);
    await expect(wantedFiles(bucket(), "nothing", undefined)).rejects.toThrow("s3://models/nothing/ is empty");
  });

  it("refuses a manifest that is not the one that the sync Job reported", async () => {
    const { files } = await run();
    const pin = pins.at(-1);
    const forged = Buffer.from(JSON.stringify({ repository: "org/model", commit: COMMIT, files: files.slice(1) }));
    await bucket().put("legal/llama/.manifest.json", forged);
    await expect(wantedFiles(bucket(), "legal/llama", pin)).rejects.toThrow(
      `s3://models/legal/llama/.manifest.json has the SHA-256 ${sha256(forged)}, but the sync Job of this model reported ${pin}`,
    );
  });

  it("refuses a manifest, or a folder that was filled by hand, whose files would leave the volume", async () => {
    const files = [{ path: "../../etc/cron.d/x", size: 1, sha256: "0" }];
    const manifest = Buffer.from(JSON.stringify({ files }));
    await bucket().put("own/.manifest.json", manifest);
    const refused = 's3://models/own/ names files outside of itself: "../../etc/cron.d/x"';
    await expect(wantedFiles(bucket(), "own", sha256(manifest))).rejects.toThrow(refused);
    await expect(wantedFiles(bucket(), "own", undefined)).rejects.toThrow(refused);
    await bucket().put("hand/../x", Buffer.from("x"));
    store.objects.set("hand/../x", { body: Buffer.from("x"), metadata: {} });
    await expect(wantedFiles(bucket(), "hand", undefined)).rejects.toThrow("s3://models/hand/ names files outside");
  });

  it("reads the reported hash from a mounted file, and says who has not reported it yet", async () => {
    const path = join(folder, "sha256");
    expect(() => pinnedManifest(path)).toThrow(
      `${path}: ENOENT: the sync Job of this model has not reported what it copied`,
    );
    await writeFile(path, "abc\n");
    expect(pinnedManifest(path)).toBe("abc");
    expect(pinnedManifest(undefined)).toBeUndefined();
  });

  it("reports a refused request with the store's own code", async () => {
    const stranger = new SmallPartsBucket(store.url, "models", KEY);
    store.objects.clear();
    await expect(stranger.get("missing")).rejects.toThrow("GET s3://models/missing: 404 NoSuchKey");
  });
});

interface Page {
  readonly body: string;
  readonly link?: string;
}

async function listen(answer: (url: string) => Page) {
  const server = createServer((request, response) => {
    const { body, link } = answer(request.url ?? "");
    if (link !== undefined) {
      response.setHeader("link", link);
    }
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
