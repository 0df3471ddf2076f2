/** A real MinIO loses its volume: the Jobs' own scripts fill the empty one, and engines accept what is there then. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stand } from "../../e2e/model-store/stand";
import { modelPlan } from "../../harness/plans";

const TOKEN = `hf_${randomBytes(17).toString("hex")}`;
const REPOSITORY = "meta-llama/Llama-3.1-8B-Instruct";
const MODEL = "llama-8b";
const PIN = "/etc/weights-manifest/sha256";

const repositories = {
  [REPOSITORY]: {
    "config.json": Buffer.from('{"model_type":"llama"}'),
    "tokenizer.json": Buffer.from("{}"),
    "model.safetensors": randomBytes(2 ** 20),
  },
};

describe("a model store whose volume is lost", () => {
  let stand: Stand;
  let pinned: string | undefined;
  beforeAll(async () => {
    stand = await Stand.start([modelPlan({})], repositories, TOKEN);
    const { status, output } = await stand.run(stand.sync(MODEL));
    expect(status, output).toBe(0);
    pinned = (await stand.reports.mounted(MODEL))[PIN];
  });
  afterAll(() => stand?.stop());

  it("gives no model, though its keys open the new one", async () => {
    await stand.loseVolume();
    expect(await stand.store.administrator.list("models", "")).toEqual([]);
    const { status, output } = await stand.run(stand.fetch(MODEL));
    expect(status).not.toBe(0);
    expect(output).not.toMatch(/AccessDenied|InvalidAccessKeyId/);
  });

  it("has the manifest of before after the sync Job has run, and the engine's init container takes it", async () => {
    const synced = await stand.run(stand.sync(MODEL));
    expect(synced.status, synced.output).toBe(0);
    expect(pinned).toMatch(/^[0-9a-f]{64}$/);
    expect((await stand.reports.mounted(MODEL))[PIN]).toBe(pinned);
    const fetched = await stand.run(stand.fetch(MODEL));
    expect(fetched.status, fetched.output).toBe(0);
  });
});
