/** Models of a registry, crane's own behind TLS and a login: copied by the rendered Job, resumed after a kill, refused where it must be. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { requirePart } from "../../rehearsal/parts/find";
import { digestOf, EMPTY_CONFIG, modelFile } from "../components/storage/artifacts";
import { sha256 } from "../components/storage/fakes";
import { ConnectProxy } from "../harness/connect-proxy";
import { modelPlan } from "../harness/plans";
import { issueCertificate } from "./model-store/authority";
import { GuardedRegistry } from "./model-store/guarded-registry";
import { Stand } from "./model-store/stand";

const run = promisify(execFile);
const HOST = "registry.example.com";
const LOGIN = "reader:a secret";
const MODEL = "llama-8b";
/** More than one of the Job's parts, which are 32 MiB. */
const WEIGHTS = randomBytes(40 * 2 ** 20);
const FILES = { "config.json": Buffer.from("{}"), "model.safetensors": WEIGHTS, "tokenizer.json": randomBytes(3000) };
const artifact = (repository: string) => ({ kind: "artifact", registry: HOST, repository, tag: "v1" }) as const;

describe("a model of a registry", () => {
  let stand: Stand;
  let registry: GuardedRegistry;
  let digests: Readonly<Record<"files" | "image", string>>;
  const certificate = issueCertificate(["IP:127.0.0.1", `DNS:${HOST}`]);
  const folder = mkdtempSync(join(tmpdir(), "artifact-source-"));

  beforeAll(async () => {
    registry = await GuardedRegistry.start(certificate, LOGIN);
    const settings = { secretKey: "corpApiKey", authorities: certificate["ca.crt"] };
    const overrides = { access: { registries: { [HOST]: settings } }, apiKeys: { corpApiKey: "{}" } };
    stand = await Stand.start([modelPlan({ source: artifact("team/llama") })], {}, "hf_none", overrides);
    digests = { files: await pushFiles(), image: await pushImage() };
  });
  afterEach(() => {
    registry.held.clear();
    registry.replaced.clear();
    registry.asked.length = 0;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    registry?.stop();
    await stand?.stop();
  });

  /** As ModelPack, by the registry's API. */
  async function pushFiles(): Promise<string> {
    const base = `http://${registry.registry.host}/v2/team/llama`;
    const layers = Object.entries(FILES).map(([path, body]) => modelFile(path, body));
    const config = Buffer.from("{}");
    for (const body of [config, ...layers.map((layer) => layer.body)]) {
      const put = { method: "POST", body: new Uint8Array(body) };
      expect((await fetch(`${base}/blobs/uploads/?digest=${digestOf(body)}`, put)).status).toBe(201);
    }
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        artifactType: "application/vnd.cncf.model.manifest.v1+json",
        config: { mediaType: EMPTY_CONFIG, digest: digestOf(config), size: config.length },
        layers: layers.map(({ mediaType, body, annotations }) => ({
          ...{ mediaType, annotations, digest: digestOf(body), size: body.length },
        })),
      }),
    );
    const headers = { "content-type": "application/vnd.oci.image.manifest.v1+json" };
    const answer = await fetch(`${base}/manifests/v1`, { method: "PUT", headers, body: new Uint8Array(manifest) });
    expect(answer.ok, await answer.text()).toBe(true);
    return digestOf(manifest);
  }

  /** As an image, by tar and crane: a base with links, and the model in a layer of its own. @returns its digest. */
  async function pushImage(): Promise<string> {
    mkdirSync(join(folder, "base/usr/bin"), { recursive: true });
    writeFileSync(join(folder, "base/usr/bin/sh"), "base");
    mkdirSync(join(folder, "model/models"), { recursive: true });
    for (const [path, body] of Object.entries(FILES)) {
      writeFileSync(join(folder, "model/models", path), body);
    }
    await run("ln", ["-s", "usr/bin", join(folder, "base/bin")]);
    await run("tar", ["-C", join(folder, "base"), "-cf", join(folder, "base.tar"), "."]);
    await run("tar", ["--format=pax", "-C", join(folder, "model"), "-cf", join(folder, "model.tar"), "models"]);
    const layers = ["base.tar", "model.tar"].flatMap((name) => ["--new_layer", join(folder, name)]);
    const image = `${registry.registry.host}/team/image:v1`;
    await run(requirePart("crane"), ["append", "--oci-empty-base", ...layers, "--new_tag", image]);
    return (await run(requirePart("crane"), ["digest", image])).stdout.trim();
  }

  interface Changes {
    readonly repository?: string;
    readonly revision?: string;
    readonly login?: string;
    readonly authority?: string;
    readonly proxy?: string;
  }

  function job({
    repository = "team/llama",
    revision = digests.files,
    login = LOGIN,
    authority = certificate["ca.crt"],
    proxy,
  }: Changes = {}) {
    const auths = { [HOST]: { auth: Buffer.from(login).toString("base64") } };
    const env = {
      ...stand.reports.variables(MODEL),
      // By a name that only the proxy knows.
      SOURCE_ENDPOINT: proxy ? registry.url.replace("127.0.0.1", HOST) : registry.url,
      SOURCE_REPOSITORY: repository,
      REVISION: revision,
      ...(proxy && { SOURCE_PROXY: proxy }),
    };
    const files = {
      "/etc/source-keys/.dockerconfigjson": JSON.stringify({ auths }),
      "/etc/source-authorities/ca.crt": authority,
    };
    return stand.store.container(stand.platform.sync(MODEL), { env, files });
  }

  const stored = async () =>
    (await stand.store.administrator.list("models", `${MODEL}/`)).map((key) => key.slice(MODEL.length + 1)).sort();

  it.each<[string, Changes, RegExp]>([
    [
      "a wrong login",
      { login: "reader:wrong" },
      /^failed: .*gives no token for oci:\/\/registry\.example\.com\/team\/llama: HTTP 401/m,
    ],
    [
      "another authority",
      { authority: issueCertificate(["IP:127.0.0.1"])["ca.crt"] },
      /^failed: https:.*certificate.*; check caFile of 127\.0\.0\.1/m,
    ],
    ["a tag that is not there", { revision: "v9" }, /^failed: .*manifests\/v9: HTTP 404 MANIFEST_UNKNOWN/m],
    [
      "a repository that is not there",
      { repository: "team/other", revision: "v1" },
      /^failed: .*HTTP 404 NAME_UNKNOWN/m,
    ],
  ])("with %s ends in words that name it, and leaves nothing", async (_, changes, says) => {
    const { status, output } = await stand.run(job(changes));
    expect(output).toMatch(says);
    expect(status).toBe(1);
    expect(await stored()).toEqual([]);
  });

  it("with a damaged blob ends at its name, and leaves it out", async () => {
    registry.replaced.set(digestOf(WEIGHTS), Buffer.concat([WEIGHTS.subarray(1), Buffer.from("x")]));
    const { status, output } = await stand.run(job());
    expect(output).toMatch(/^failed: model\.safetensors: the content has id [0-9a-f]{64}, oci:/m);
    expect(status).toBe(1);
    expect(await stored()).not.toContain("model.safetensors");
    expect(await stored()).not.toContain(".manifest.json");
  });

  it("goes on after a kill, and its engine takes what the Job reported", async () => {
    registry.held.set(digestOf(WEIGHTS), 5 * 2 ** 20);
    const script = stand.store.start(job());
    await script.printed((output) => output.includes("tokenizer.json"));
    await script.kill();
    expect(await stored()).not.toContain(".manifest.json");
    registry.held.clear();
    const { status, output } = await stand.run(job());
    expect(output).toContain("present config.json");
    expect(output).toContain("copied  model.safetensors");
    expect(output).toContain(`holds 3 files of oci://${HOST}/team/llama@${digests.files}`);
    expect(status).toBe(0);
    expect(sha256(await stand.store.administrator.get("models", `${MODEL}/model.safetensors`))).toBe(sha256(WEIGHTS));
    const fetched = await stand.run(stand.fetch(MODEL));
    expect([fetched.status, fetched.output]).toEqual([0, expect.stringContaining("model.safetensors")]);
  });

  it("behind a proxy is read by tunnels alone: manifests, tokens and blobs", async () => {
    await stand.store.administrator.put("models", `${MODEL}/model.safetensors`, randomBytes(40 * 2 ** 20));
    const proxy = await ConnectProxy.start();
    proxy.names.add(HOST);
    const { status, output } = await stand.run(job({ proxy: proxy.url }));
    expect(output).toContain("copied  model.safetensors");
    expect(status).toBe(0);
    const { port } = new URL(registry.url);
    expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:${port}`, `127.0.0.1:${port}`]));
    const other = await stand.run(job({ proxy: proxy.url, authority: issueCertificate(["IP:127.0.0.1"])["ca.crt"] }));
    expect(other.output).toMatch(/^failed: https:.*certificate.*; check caFile of registry\.example\.com/m);
    proxy.stop();
  });

  it("is the same model as an image: of its archive nothing is copied that is there", async () => {
    const { status, output } = await stand.run(job({ repository: "team/image", revision: digests.image }));
    expect(output).toMatch(new RegExp(`holds 3 files of oci://${HOST}/team/image@${digests.image}`));
    expect(output.match(/^present /gm)).toHaveLength(Object.keys(FILES).length);
    expect(status).toBe(0);
  });

  it("as an image is copied whole where the store holds another content", async () => {
    await stand.store.administrator.put("models", `${MODEL}/model.safetensors`, randomBytes(40 * 2 ** 20));
    const { status, output } = await stand.run(job({ repository: "team/image", revision: "v1" }));
    expect(output).toContain("copied  model.safetensors");
    expect(status).toBe(0);
    expect(sha256(await stand.store.administrator.get("models", `${MODEL}/model.safetensors`))).toBe(sha256(WEIGHTS));
    expect(await stored()).toEqual([".manifest.json", ...Object.keys(FILES)]);
  });
});
