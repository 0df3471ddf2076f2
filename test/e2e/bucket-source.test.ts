/** A model of a bucket elsewhere, on a real MinIO: copied by the rendered Job, resumed after a kill, refused with wrong keys. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../components/storage/fakes";
import { ConnectProxy } from "../harness/connect-proxy";
import { modelPlan } from "../harness/plans";
import { issueCertificate } from "./model-store/authority";
import { Stand } from "./model-store/stand";

const corp = { url: "https://corp.example.com", region: "us-east-1", secretKey: "corpApiKey" };
const source = (bucket: string) => ({ kind: "bucket", uri: `s3://${bucket}/llama/v3`, copied: true }) as const;
const model = modelPlan({ source: source("corp") });
/** The same endpoint, whose authority the configuration names. */
const trusting = modelPlan({ name: "llama-own", source: source("corp-own") });

/** More than one part of mc's, which are 16 MiB, and of the Job's, which are 32. */
const WEIGHTS = randomBytes(40 * 2 ** 20);
const FILES = { "config.json": Buffer.from("{}"), "model.safetensors": WEIGHTS, "tokenizer.json": randomBytes(3000) };

describe("a bucket elsewhere, on a real MinIO", () => {
  let stand: Stand;
  const folder = mkdtempSync(join(tmpdir(), "bucket-source-"));

  beforeAll(async () => {
    const overrides = {
      access: { buckets: { corp, "corp-own": { ...corp, authorities: "PEM" } } },
      apiKeys: { corpApiKey: "nobody:nothing" },
    };
    stand = await Stand.start([model, trusting], {}, "hf_none", overrides);
    const root = stand.platform.rootKeys();
    const made = await stand.store.mc(root, "mb", "store/corp");
    expect(made.status, made.output).toBe(0);
    for (const [name, content] of Object.entries(FILES)) {
      writeFileSync(join(folder, name), content);
    }
    const copied = await stand.store.mc(root, "cp", "--recursive", `${folder}/`, "store/corp/llama/v3/");
    expect(copied.status, copied.output).toBe(0);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stand?.stop();
  });

  /** The Job's container with these keys; by default those of a user who may read the bucket. */
  function job(keys = `${stand.platform.rootKeys().accessKeyId}:${stand.platform.rootKeys().secretAccessKey}`) {
    const env = { SOURCE_ENDPOINT: stand.store.url, ...stand.reports.variables("llama-8b") };
    return stand.store.container(stand.platform.sync("llama-8b"), { env, files: { "/etc/source-keys/keys": keys } });
  }

  it("with wrong keys ends in the store's own words, and leaves nothing", async () => {
    const { status, output } = await stand.run(job("stranger:nothing-at-all"));
    expect(status).toBe(1);
    expect(output).toMatch(/failed: GET s3:\/\/corp\/llama\/v3\/: 403 InvalidAccessKeyId/);
    expect(await stand.store.administrator.list("models", "llama-8b/")).toEqual([]);
  });

  it("goes on after a kill, and its engine takes what the Job reported", async () => {
    const script = stand.store.start(job());
    await script.printed((output) => output.includes("copied  config.json"));
    await script.kill();
    expect(await stand.store.administrator.list("models", "llama-8b/")).not.toContain("llama-8b/.manifest.json");
    const { status, output } = await stand.run(job());
    expect(output).toContain("present config.json");
    expect(output).toContain("complete: s3://models/llama-8b/ holds 3 files of s3://corp/llama/v3@");
    expect(status).toBe(0);
    const weights = await stand.store.administrator.get("models", "llama-8b/model.safetensors");
    expect(sha256(weights)).toBe(sha256(WEIGHTS));
    const fetched = await stand.run(stand.fetch("llama-8b"));
    expect([fetched.status, fetched.output]).toEqual([0, expect.stringContaining("model.safetensors")]);
  });

  it.each([
    ["of its authority is read", () => stand.store.authority, 0, /complete: s3:\/\/models\/llama-own\/ holds 3 files/],
    ["of another is refused", () => issueCertificate(["IP:127.0.0.1"])["ca.crt"], 1, /check caFile of 127\.0\.0\.1/],
  ])("with a certificate %s", async (_, authority, expected, says) => {
    const { accessKeyId, secretAccessKey } = stand.platform.rootKeys();
    const env = { ...stand.reports.variables("llama-own"), SOURCE_ENDPOINT: stand.store.url, SOURCE_BUCKET: "corp" };
    const files = {
      "/etc/source-keys/keys": `${accessKeyId}:${secretAccessKey}`,
      "/etc/source-authorities/ca.crt": authority(),
    };
    const { status, output } = await stand.run(stand.store.container(stand.platform.sync("llama-own"), { env, files }));
    expect(output).toMatch(says);
    expect(status).toBe(expected);
  });

  it("behind a proxy is read by tunnels alone, and a proxy that forbids it ends the Job", async () => {
    const proxy = await ConnectProxy.start();
    const { accessKeyId, secretAccessKey } = stand.platform.rootKeys();
    // A name that only the proxy knows.
    const name = "minio.model-store.svc";
    proxy.names.add(name);
    const endpoint = stand.store.url.replace("127.0.0.1", name);
    const server = { SOURCE_ENDPOINT: endpoint, SOURCE_BUCKET: "corp", SOURCE_PROXY: proxy.url };
    const env = { ...stand.reports.variables("llama-own"), ...server, PREFIX: "llama-proxied" };
    const files = {
      "/etc/source-keys/keys": `${accessKeyId}:${secretAccessKey}`,
      "/etc/source-authorities/ca.crt": stand.store.authority,
    };
    const proxied = () => stand.run(stand.store.container(stand.platform.sync("llama-own"), { env, files }));
    proxy.refusal = "403 Forbidden";
    const refused = await proxied();
    expect(refused.output).toMatch(
      /^failed: the proxy http:\/\/127\.0\.0\.1:\d+ answers 403 when asked for minio\.model-store\.svc:/m,
    );
    expect(refused.status).toBe(1);
    expect(await stand.store.administrator.list("models", "llama-proxied/")).toEqual([]);
    proxy.refusal = undefined;
    const { status, output } = await proxied();
    expect(output).toContain("complete: s3://models/llama-proxied/ holds 3 files");
    expect(status).toBe(0);
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(endpoint).host]));
    proxy.stop();
  });

  it("is recognized by its content: another run copies nothing, and what was replaced in the store again", async () => {
    const again = await stand.run(job());
    expect(again.output).not.toContain("copied  ");
    await stand.store.administrator.put("models", "llama-8b/model.safetensors", randomBytes(40 * 2 ** 20));
    const { output } = await stand.run(job());
    expect(output).toContain("copied  model.safetensors");
    expect(output).toContain("present tokenizer.json");
  });
});
