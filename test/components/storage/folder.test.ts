/** Models that come from a folder on a node: the same copy as from the Hub, and no other files than those of the bundle. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetchModel } from "../../../bundle/model";
import { modelFiles } from "../../../components/storage/scripts/choices.ts";
import { HuggingFaceRepository } from "../../../components/storage/scripts/hugging-face.ts";
import { MANIFEST } from "../../../components/storage/scripts/model-files.ts";
import { repositoryOf } from "../../../components/storage/scripts/repository.ts";
import { S3Bucket } from "../../../components/storage/scripts/s3.ts";
import { sync } from "../../../components/storage/scripts/sync.ts";
import { COMMIT, type FakeHub, type FakeStore, fakeHub, fakeStore, sha256 } from "./fakes";
import { COPIED, REPOSITORY, shard } from "./repository";

const KEY = { accessKeyId: "writer", secretAccessKey: "secret", region: "us-east-1" };
const choose = modelFiles({ safetensorsOnly: false, withCode: false });

let hub: FakeHub;
let store: FakeStore;
let root: string;
let folder: string;
let manifestSha256: string;

beforeEach(async () => {
  vi.spyOn(console, "log").mockReturnValue(undefined);
  vi.spyOn(console, "error").mockReturnValue(undefined);
  hub = await fakeHub(REPOSITORY);
  store = await fakeStore("models");
  root = mkdtempSync(join(tmpdir(), "folder-"));
  const made = await fetchModel(
    { repository: "org/model", revision: "main", choose },
    root,
    { endpoint: hub.url, token: undefined },
    () => {},
  );
  folder = join(root, "models", made.folder);
  manifestSha256 = made.manifestSha256;
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([hub.close(), store.close()]);
  rmSync(root, { recursive: true });
});

function copy(prefix: string, { repository = "org/model", revision = "main", sum = manifestSha256 } = {}) {
  const pins: string[] = [];
  const bundled = { folder, manifestSha256: sum };
  return sync({
    hub: repositoryOf(repository, bundled),
    revision,
    bucket: new S3Bucket(store.url, "models", KEY),
    prefix,
    choose,
    pin: async (digest) => void pins.push(digest),
    retries: { attempts: 3, firstDelayMs: 1 },
  }).then((manifest) => ({ manifest, pins }));
}

describe("a sync Job with a folder", () => {
  it("leaves in the store what it would from the Hub: the same files, manifest and pin, without asking anybody", async () => {
    hub.requests.length = 0;
    const { manifest, pins } = await copy("a");
    expect(hub.requests).toEqual([]);
    const fromHub: string[] = [];
    const other = await sync({
      hub: new HuggingFaceRepository("org/model", undefined, hub.url),
      revision: "main",
      bucket: new S3Bucket(store.url, "models", KEY),
      prefix: "b",
      choose,
      pin: async (digest) => void fromHub.push(digest),
    });
    expect(manifest).toEqual(other);
    expect(manifest.files.map(({ path }) => path)).toEqual(COPIED);
    expect(pins).toEqual(fromHub);
    const stored = (prefix: string) =>
      [...store.objects]
        .filter(([key]) => key.startsWith(`${prefix}/`))
        .map(([key, { body }]) => [key.slice(2), sha256(body)]);
    expect(stored("a").sort()).toEqual(stored("b").sort());
    // The manifest of the folder is the one in the store: what a Job writes there.
    expect(store.objects.get(`a/${MANIFEST}`)?.body.toString()).toBe(readFileSync(join(folder, MANIFEST), "utf8"));
    expect(pins).toEqual([manifestSha256]);
  });

  it("copies nothing that is there already", async () => {
    await copy("a");
    const before = new Map(store.objects);
    await copy("a");
    const written = [...store.objects].filter(([key, object]) => before.get(key) !== object).map(([key]) => key);
    expect(written).toEqual([`a/${MANIFEST}`]);
  });

  it("refuses a folder whose manifest is not the bundle's, before it copies a byte", async () => {
    const other = { repository: "org/model", commit: COMMIT, files: [] };
    writeFileSync(join(folder, MANIFEST), JSON.stringify(other));
    await expect(copy("a")).rejects.toThrow(
      `and bundle.json says ${manifestSha256}: the folder on this machine is not`,
    );
    expect(store.objects.size).toBe(0);
  });

  it("refuses a file that is not the manifest's, and completes nothing", async () => {
    const file = join(folder, shard(1));
    const content = readFileSync(file);
    content[5] = (content[5] ?? 0) ^ 1;
    writeFileSync(file, content);
    await expect(copy("a")).rejects.toThrow(`${shard(1)}: the content has id`);
    expect(store.objects.has(`a/${MANIFEST}`)).toBe(false);
    rmSync(file);
    await expect(copy("b")).rejects.toThrow(`cannot read ${file}: ENOENT`);
  });

  it("refuses another repository, and another commit than the one that is named", async () => {
    await expect(copy("a", { repository: "org/other" })).rejects.toThrow(
      `${folder} holds org/model@${COMMIT}, not org/other@main`,
    );
    await expect(copy("a", { revision: "f".repeat(40) })).rejects.toThrow("make the bundle again");
    expect((await copy("a", { revision: COMMIT })).manifest.commit).toBe(COMMIT);
  });

  it("reads no file outside of the folder, whatever its manifest says", async () => {
    writeFileSync(join(root, "secret.json"), "{}");
    mkdirSync(dirname(join(folder, MANIFEST)), { recursive: true });
    const text = JSON.stringify({
      repository: "org/model",
      commit: COMMIT,
      files: [{ path: "../../secret.json", size: 2, sha256: sha256(Buffer.from("{}")) }],
    });
    writeFileSync(join(folder, MANIFEST), text);
    await expect(copy("a", { sum: sha256(Buffer.from(text)) })).rejects.toThrow("names files outside of itself");
  });
});
