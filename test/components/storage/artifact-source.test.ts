/** Weights in a registry: what the sync script copies of an artifact or an image, resumes, and refuses. */
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArtifactRepository } from "../../../components/storage/scripts/artifact-repository.ts";
import { modelFiles } from "../../../components/storage/scripts/choices.ts";
import type { Manifest } from "../../../components/storage/scripts/model-files.ts";
import { OciRegistry, type RegistryLogin } from "../../../components/storage/scripts/oci-registry.ts";
import { loginIn } from "../../../components/storage/scripts/source-access.ts";
import { sync } from "../../../components/storage/scripts/sync.ts";
import {
  digestOf,
  type FakeRegistry,
  fakeRegistry,
  IMAGE_CONFIG,
  type LayerContent,
  modelFile,
  push,
  pushIndex,
  put,
  TAR,
  TITLE,
  tarOf,
  titledFile,
} from "./artifacts";
import { type FakeStore, fakeStore, sha256 } from "./fakes";
import { SMALL_PART_BYTES, SmallPartsBucket } from "./small-parts";

const WRITER = { accessKeyId: "writer", secretAccessKey: "secret", region: "us-east-1" };
const WEIGHTS = randomBytes(2 ** 20);
/** Copied in parts. */
const LARGE = randomBytes(SMALL_PART_BYTES + 1000);
const FILES = {
  "config.json": Buffer.from("{}"),
  "model.safetensors": WEIGHTS,
  "tokenizer.json": randomBytes(2000),
};
const NAMES = Object.keys(FILES);
const IMAGE = { mediaType: IMAGE_CONFIG, text: '{"rootfs":{}}' };
const REFERENCE = "oci://registry.example.com/team/llama";

const inModels = (files: Readonly<Record<string, Buffer>>, folder = "models/") =>
  Object.fromEntries(Object.entries(files).map(([path, body]) => [`${folder}${path}`, body]));
const archive = (body: Buffer, mediaType = TAR): LayerContent => ({ mediaType, body });

/** The same model in every form that is published. */
const FORMS: Readonly<Record<string, (fake: FakeRegistry) => string>> = {
  "files of ModelPack": (fake) =>
    push(
      fake,
      "v1",
      Object.entries(FILES).map(([path, body]) =>
        modelFile(path, body, path.endsWith("json") ? "weight.config" : "weight"),
      ),
      { mediaType: "application/vnd.cncf.model.config.v1+json", text: '{"modelfs":{}}' },
    ),
  "archives of ModelPack": (fake) =>
    push(fake, "v1", [
      archive(tarOf(FILES), "application/vnd.cncf.model.weight.v1.tar"),
      archive(Buffer.from("no archive"), "application/vnd.cncf.model.dataset.v1.tar"),
    ]),
  "files of ORAS": (fake) =>
    push(
      fake,
      "v1",
      Object.entries(FILES).map(([path, body]) => titledFile(path, body)),
    ),
  "files of older releases of ORAS": (fake) =>
    push(
      fake,
      "v1",
      Object.entries(FILES).map(([path, body]) => titledFile(`./${path}`, body)),
      { mediaType: IMAGE_CONFIG, text: "{}" },
    ),
  "a folder of ORAS": (fake) =>
    push(fake, "v1", [
      {
        mediaType: `${TAR}+gzip`,
        body: gzipSync(tarOf(inModels(FILES, "llama/")), { level: 1 }),
        annotations: { [TITLE]: "llama", "io.deis.oras.content.unpack": "true" },
      },
    ]),
  "an image": (fake) =>
    pushIndex(fake, "v1", {
      "linux/arm64": `sha256:${"0".repeat(64)}`,
      "linux/amd64": push(
        fake,
        "amd64",
        [
          archive(gzipSync(tarOf({ "bin/sh": "base", "etc/config.json": "{}" })), `${TAR}+gzip`),
          archive(
            gzipSync(
              tarOf(
                inModels({
                  ...FILES,
                  "tokenizer.json": randomBytes(10),
                  "generation_config.json": FILES["config.json"],
                }),
              ),
              {
                level: 1,
              },
            ),
            "application/vnd.docker.image.rootfs.diff.tar.gzip",
          ),
          archive(
            tarOf({
              "models/.wh.generation_config.json": "",
              ...inModels({ "tokenizer.json": FILES["tokenizer.json"] }),
            }),
          ),
        ],
        IMAGE,
      ),
    }),
};

describe("a model in a registry", () => {
  let source: FakeRegistry;
  let store: FakeStore;
  let pins: string[];

  beforeEach(async () => {
    vi.spyOn(console, "log").mockReturnValue(undefined);
    vi.spyOn(console, "error").mockReturnValue(undefined);
    [source, store] = await Promise.all([fakeRegistry(), fakeStore("models")]);
    pins = [];
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all([source.close(), store.close()]);
  });

  function repository(login?: RegistryLogin): ArtifactRepository {
    const [, host = "", path = ""] = /^oci:\/\/([^/]+)\/(.+)$/.exec(REFERENCE) ?? [];
    return new ArtifactRepository(new OciRegistry({ host, repository: path, endpoint: source.url, login }));
  }

  function run(revision = "v1", login?: RegistryLogin): Promise<Manifest> {
    return sync({
      hub: repository(login),
      revision,
      bucket: new SmallPartsBucket(store.url, "models", WRITER),
      prefix: "chat",
      choose: modelFiles({ safetensorsOnly: false, withCode: false }),
      pin: async (digest) => void pins.push(digest),
      retries: { attempts: 2, firstDelayMs: 1 },
    });
  }

  const stored = () => [...store.objects.keys()].map((key) => key.slice("chat/".length)).sort();
  const bodyOf = (path: string) => store.objects.get(`chat/${path}`)?.body ?? Buffer.alloc(0);
  const files = (layers: Readonly<Record<string, Buffer>>) =>
    Object.entries(layers).map(([path, body]) => modelFile(path, body));

  it.each(Object.entries(FORMS))("as %s is copied with its files alone, by its digest", async (_, pushed) => {
    const digest = pushed(source);
    const { repository: name, commit, files: copied } = await run();
    expect([name, commit]).toEqual([REFERENCE, digest]);
    expect(copied).toEqual(
      Object.entries(FILES).map(([path, body]) => ({ path, size: body.length, sha256: sha256(body) })),
    );
    expect(stored()).toEqual([".manifest.json", ...NAMES]);
    expect(NAMES.map((path) => sha256(bodyOf(path)))).toEqual(
      NAMES.map((path) => sha256(FILES[path as keyof typeof FILES])),
    );
    expect(pins).toEqual([sha256(bodyOf(".manifest.json"))]);
  });

  it.each(Object.entries(FORMS))("as %s is found by its content in a second run", async (_, pushed) => {
    pushed(source);
    await run();
    const log = vi.mocked(console.log);
    log.mockClear();
    await run();
    expect(log.mock.calls.filter(([line]) => String(line).startsWith("present "))).toHaveLength(NAMES.length);
  });

  it.each(Object.entries(FORMS))("as %s goes on where a connection broke", async (_, pushed) => {
    pushed(source);
    source.breakAfter = 500_000;
    await run();
    expect(sha256(bodyOf("model.safetensors"))).toBe(sha256(WEIGHTS));
    expect(source.read.some((read) => Number(read.split(" ")[1]) >= 400_000)).toBe(true);
  });

  it("whose weights are copied in parts goes on where a connection broke", async () => {
    push(source, "v1", [archive(gzipSync(tarOf({ ...FILES, "model.safetensors": LARGE }), { level: 1 }))]);
    source.breakAfter = (5 / 8) * SMALL_PART_BYTES;
    await run();
    expect(sha256(bodyOf("model.safetensors"))).toBe(sha256(LARGE));
  });

  it("of several files of weights, compressed, is downloaded twice too: its index is kept", async () => {
    const index = Buffer.from(JSON.stringify({ weight_map: { a: "model-1.safetensors", b: "model-2.safetensors" } }));
    const shards = { "model-1.safetensors": randomBytes(5000), "model-2.safetensors": randomBytes(5000) };
    push(source, "v1", [
      archive(gzipSync(tarOf({ "config.json": "{}", ...shards, "model.safetensors.index.json": index }))),
    ]);
    await run();
    expect(stored()).toEqual([".manifest.json", "config.json", ...Object.keys(shards), "model.safetensors.index.json"]);
    expect(source.read).toHaveLength(2);
  });

  it("that is compressed is downloaded twice: to be verified, and to be copied", async () => {
    FORMS["a folder of ORAS"]?.(source);
    await run();
    expect(source.read.filter((read) => read.endsWith(" 0"))).toHaveLength(2);
  });

  it("is read from the object store to which its registry redirects, without the token", async () => {
    FORMS["files of ORAS"]?.(source);
    const elsewhere = await fakeRegistry();
    for (const [digest, body] of source.blobs) {
      elsewhere.blobs.set(digest, body);
    }
    source.login = "reader:secret";
    source.store = elsewhere.url;
    await run("v1", { username: "reader", password: "secret" });
    expect(elsewhere.read).toHaveLength(NAMES.length);
    expect(sha256(bodyOf("model.safetensors"))).toBe(sha256(WEIGHTS));
    await elsewhere.close();
  });

  it.each([
    ["without a login", undefined, /no token for oci:.*HTTP 401 UNAUTHORIZED.*secretKey of storage\.registries/],
    ["with a wrong login", { username: "reader", password: "no" }, /HTTP 401 UNAUTHORIZED/],
  ])("%s is refused at once, and nothing is written", async (_, login, says) => {
    FORMS["files of ORAS"]?.(source);
    source.login = "reader:secret";
    await expect(run("v1", login)).rejects.toThrow(says);
    expect([stored(), pins]).toEqual([[], []]);
  });

  const other = (body: Buffer) => ({ digest: digestOf(randomBytes(8)), size: body.length });
  it.each<[string, (fake: FakeRegistry) => string, RegExp]>([
    [
      "of a file is not its digest's",
      (fake) =>
        push(fake, "v1", [
          ...files({ "config.json": FILES["config.json"] }),
          { ...modelFile("model.safetensors", WEIGHTS), stated: other(WEIGHTS) },
        ]),
      /model\.safetensors: the content has id .*, oci:\/\/registry\.example\.com\/team\/llama lists/,
    ],
    [
      "of an archive is not its digest's",
      (fake) => push(fake, "v1", [{ ...archive(tarOf(FILES)), stated: other(tarOf(FILES)) }]),
      /layer sha256:.* arrived with the digest sha256:.*: the registry holds another content/,
    ],
    [
      "of a compressed archive is damaged",
      (fake) => {
        const body = gzipSync(tarOf(FILES), { level: 1 });
        const damaged = Buffer.concat([
          body.subarray(0, 2 ** 20),
          randomBytes(50_000),
          body.subarray(2 ** 20 + 50_000),
        ]);
        return push(fake, "v1", [{ ...archive(damaged), stated: { digest: digestOf(body) } }]);
      },
      /layer sha256:/,
    ],
    [
      "is longer than its size",
      (fake) =>
        push(fake, "v1", [
          ...files({ "config.json": FILES["config.json"] }),
          { ...modelFile("model.safetensors", WEIGHTS), stated: { size: WEIGHTS.length - 1 } },
        ]),
      /model\.safetensors: more than its \d+ bytes came/,
    ],
    [
      "unpacks to far more than it is",
      (fake) =>
        push(fake, "v1", [archive(gzipSync(tarOf({ ...FILES, "model.safetensors": Buffer.alloc(40 * 2 ** 20) })))]),
      /unpacks to more than 20 times/,
    ],
    [
      "is an archive that is cut off",
      (fake) => push(fake, "v1", [archive(tarOf(FILES).subarray(0, 5000))]),
      /it is cut off/,
    ],
    ["is no archive", (fake) => push(fake, "v1", [archive(randomBytes(5000))]), /it is no tar archive/],
  ])("whose content %s is refused, with nothing of it visible", async (_, pushed, says) => {
    pushed(source);
    await expect(run()).rejects.toThrow(says);
    expect(stored()).not.toContain("model.safetensors");
    expect(stored()).not.toContain(".manifest.json");
    expect([store.uploads.size, pins]).toEqual([0, []]);
  });

  it.each<[string, (fake: FakeRegistry) => string, RegExp]>([
    [
      "layers of other kinds",
      (fake) =>
        push(fake, "v1", [
          archive(WEIGHTS, "application/vnd.ollama.image.model"),
          archive(WEIGHTS, "application/vnd.kitops.modelkit.model.v1.tar+gzip"),
        ]),
      /unknown media types: "application\/vnd\.ollama\.image\.model", "application\/vnd\.kitops/,
    ],
    [
      "layers of an image that are not in the registry",
      (fake) =>
        push(fake, "v1", [archive(WEIGHTS, "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")], IMAGE),
      /rootfs\.foreign/,
    ],
    [
      "a file that leads elsewhere",
      (fake) => push(fake, "v1", [...files(FILES), titledFile("../x.json", WEIGHTS)]),
      /names files outside of itself: "\.\.\/x\.json"/,
    ],
    [
      "an absolute path in an archive",
      (fake) => push(fake, "v1", [archive(tarOf({ ...FILES, "/etc/x.json": "" }))]),
      /names files outside of itself: "\/etc\/x\.json"/,
    ],
    [
      "a path in an archive that climbs out",
      (fake) => push(fake, "v1", [archive(tarOf({ ...FILES, "a/../../x.json": "" }))]),
      /names files outside of itself/,
    ],
    [
      "a file without a name",
      (fake) => push(fake, "v1", [{ mediaType: "application/vnd.cncf.model.weight.v1.raw", body: WEIGHTS }]),
      /is a file without a name/,
    ],
    ["no config.json", (fake) => push(fake, "v1", files({ "model.safetensors": WEIGHTS })), /has no config\.json/],
    [
      "two models",
      (fake) => push(fake, "v1", [archive(tarOf({ ...inModels(FILES, "a/"), ...inModels(FILES, "b/") }))]),
      /several models: a\/config\.json, b\/config\.json/,
    ],
    [
      "files below a file",
      (fake) => push(fake, "v1", files({ ...FILES, "model.safetensors/x.json": WEIGHTS })),
      /files below a file: model\.safetensors\/x\.json/,
    ],
    ["no layers", (fake) => push(fake, "v1", []), /has 0 layers/],
    [
      "a digest of another kind",
      (fake) =>
        push(fake, "v1", [{ ...modelFile("config.json", WEIGHTS), stated: { digest: `sha512:${"0".repeat(128)}` } }]),
      /allowed are sha256:/,
    ],
    [
      "an index without a manifest for linux",
      (fake) => pushIndex(fake, "v1", { "windows/amd64": "x", "darwin/arm64": "y" }),
      /none for linux/,
    ],
    [
      "something else than a manifest",
      (fake) =>
        put(fake, "v1", {
          schemaVersion: 2,
          mediaType: "application/vnd.docker.distribution.manifest.v1+json",
          layers: [{}],
        }),
      /has the media type/,
    ],
  ])("with %s is refused, and nothing is written", async (_, pushed, says) => {
    pushed(source);
    await expect(run()).rejects.toThrow(says);
    expect([stored(), pins]).toEqual([[], []]);
  });

  it("whose manifest was changed is refused: a digest names its bytes", async () => {
    const digest = FORMS["files of ORAS"]?.(source) ?? "";
    source.manifests.set(digest, Buffer.from("{}"));
    await expect(run(digest)).rejects.toThrow(/it was changed on the way/);
  });

  it("that its registry does not know is refused by its name", async () => {
    await expect(run("v2")).rejects.toThrow(/manifests\/v2: HTTP 404 MANIFEST_UNKNOWN/);
  });

  it("is not read in parts where a server ignores ranges", async () => {
    FORMS["archives of ModelPack"]?.(source);
    source.ignoresRanges = true;
    await expect(run()).rejects.toThrow(/the server ignored the range/);
    expect(stored()).not.toContain(".manifest.json");
  });
});

describe("a registry without TLS", () => {
  it("is refused", () => {
    expect(() => new OciRegistry({ host: "r.example.com", repository: "a", endpoint: "http://r.example.com" })).toThrow(
      /has no TLS/,
    );
  });
});

describe("a login in a Docker config.json", () => {
  const auth = Buffer.from("reader:se:cret").toString("base64");
  it.each([
    ["its host", "r.example.com:5000", { "r.example.com:5000": { auth } }],
    ["its URL", "r.example.com", { "https://r.example.com/v2/": { auth } }],
    ["Docker Hub's old address", "docker.io", { "https://index.docker.io/v1/": { auth } }],
    ["name and password", "r.example.com", { "r.example.com": { username: "reader", password: "se:cret" } }],
  ])("is found by %s", (_, host, auths) => {
    expect(loginIn("file", JSON.stringify({ auths }), host)).toEqual({ username: "reader", password: "se:cret" });
  });

  it.each([
    ["another registry's", '{"auths":{"other.example.com":{"auth":"YTpi"}}}', /file has no login for r\.example\.com/],
    ["that of a helper", '{"auths":{"r.example.com":{}},"credsStore":"pass"}', /not in a credential helper/],
    ["no JSON", "reader:secret", /file is no JSON/],
  ])("is refused where it is %s", (_, text, says) => {
    expect(() => loginIn("file", text, "r.example.com")).toThrow(says);
  });
});
