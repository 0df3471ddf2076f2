/** `storage.backend` names a bucket: the rendered Job and engine on a real MinIO that another cluster provisioned. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoreKeys } from "../../components/storage/scripts/credentials.ts";
import { WRITER } from "../../components/storage/store-layout";
import { sha256 } from "../components/storage/fakes";
import { modelPlan } from "../harness/plans";
import { RenderedPlatform } from "./model-store/platform";
import { Stand } from "./model-store/stand";

const model = modelPlan();
const TOKEN = "hf_none";
const REPOSITORY = "meta-llama/Llama-3.1-8B-Instruct";
const WEIGHTS = randomBytes(40 * 2 ** 20);

describe("a store elsewhere, on a real MinIO of another cluster", () => {
  let central: Stand;

  beforeAll(async () => {
    const files = { "config.json": Buffer.from("{}"), "model.safetensors": WEIGHTS };
    central = await Stand.start([model], { [REPOSITORY]: files }, TOKEN);
  });
  afterAll(() => central?.stop());

  /** The platform of a cluster without MinIO. */
  function edge(writer: StoreKeys = central.platform.keysOf(WRITER)): Promise<RenderedPlatform> {
    const reader = central.platform.keysOf("reader-llama-8b");
    return RenderedPlatform.render([model], TOKEN, {}, new Map(), {
      plan: { backend: "bucket", sizeGiB: 0 },
      storeBucket: {
        bucket: "models",
        url: central.store.url,
        region: "us-east-1",
        authorities: central.store.authority,
        reader: { accessKey: "readerIdApiKey", secretKey: "readerApiKey" },
        writer: { accessKey: "writerIdApiKey", secretKey: "writerApiKey" },
      },
      apiKeys: {
        readerIdApiKey: reader.accessKeyId,
        readerApiKey: reader.secretAccessKey,
        writerIdApiKey: writer.accessKeyId,
        writerApiKey: writer.secretAccessKey,
      },
    });
  }

  const job = (platform: RenderedPlatform) =>
    central.store.container(platform.sync("llama-8b"), {
      env: { HF_ENDPOINT: central.hub.url, ...central.reports.variables("llama-8b") },
    });
  const listed = () => central.store.administrator.list("models", "llama-8b/");

  it("with wrong keys ends in the store's own words, and leaves nothing", async () => {
    const { status, output } = await central.run(
      job(await edge({ accessKeyId: "stranger", secretAccessKey: "nothing-at-all" })),
    );
    expect(output).toMatch(/failed: .* s3:\/\/models\/llama-8b\/.*: 403 (InvalidAccessKeyId|)/);
    expect(status).toBe(1);
    expect(await listed()).toEqual([]);
  });

  it("with keys that only read, the Job ends too", async () => {
    const { status, output } = await central.run(job(await edge(central.platform.keysOf("reader-llama-8b"))));
    expect(output).toMatch(/failed: .*403 AccessDenied/);
    expect(status).toBe(1);
    expect(await listed()).toEqual([]);
  });

  it("is filled after a kill, and an engine of the other cluster takes what the Job reported", async () => {
    const platform = await edge();
    const script = central.store.start(job(platform));
    await script.printed((output) => output.includes("copied  config.json"));
    await script.kill();
    expect(await listed()).not.toContain("llama-8b/.manifest.json");
    const { status, output } = await central.run(job(platform));
    expect([status, output]).toEqual([0, expect.stringContaining("present config.json")]);
    const weights = await central.store.administrator.get("models", "llama-8b/model.safetensors");
    expect(sha256(weights)).toBe(sha256(WEIGHTS));
    const files = await central.reports.mounted("llama-8b");
    const fetched = await central.run(central.store.container(platform.fetch("llama-8b"), { files }));
    expect([fetched.status, fetched.output]).toEqual([0, expect.stringContaining("model.safetensors")]);
  });
});
