import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMIT, sha256 } from "../components/storage/fakes";
import { adapterFilesOf } from "../harness/adapter-files";
import { adaptersPlan, hubAdapter } from "../harness/adapters";
import { modelPlan } from "../harness/plans";
import { Stand } from "./model-store/stand";

const TOKEN = `hf_${randomBytes(17).toString("hex")}`;
const COPIED = ["adapter_config.json", "adapter_model.safetensors"];
const projections = { "self_attn.q_proj": [64, 64], "mlp.down_proj": [128, 64] } as const;
const adapterOf = (rank: number, config: object = {}) => adapterFilesOf({ layers: 2, projections, rank }, config);

const repositories = {
  "meta-llama/Llama-3.1-8B-Instruct": {
    "config.json": Buffer.from("{}"),
    "model.safetensors": randomBytes(5000),
  },
  "org/contracts-lora": adapterOf(16),
  "org/rulings-lora": adapterOf(8),
  "org/large-lora": adapterOf(8, { rank_pattern: { q_proj: 64 }, use_dora: true }),
  "org/pickled-lora": { "adapter_config.json": Buffer.from("{}"), "adapter_model.bin": randomBytes(100) },
};

/** By hand in the store, without a sync Job. */
const uploaded = { name: "uploaded", source: { kind: "bucket", uri: "s3://models/by-hand/uploaded" } } as const;
const list = [hubAdapter("contracts"), hubAdapter("rulings", { rank: 8 }), uploaded];
const model = modelPlan({ adapters: adaptersPlan({ list }) });
const withAdapters = (...names: readonly string[]) =>
  modelPlan({ adapters: adaptersPlan({ list: names.map((name) => hubAdapter(name)) }) });

/** The scripts as the sync Job and the init container run them: rendered, with their own keys, against the real server. */
describe("LoRA adapters on a real MinIO", () => {
  let stand: Stand;
  const keys = () => stand.store.administrator.list("models", "_adapters/");

  beforeAll(async () => {
    stand = await Stand.start([model], repositories, TOKEN);
    for (const [name, content] of Object.entries(adapterOf(4))) {
      await stand.store.administrator.put("models", `by-hand/uploaded/${name}`, content);
    }
  });
  afterAll(() => stand?.stop());

  it("are copied from the Hub beside their model's weights, each with its manifest, which is reported", async () => {
    const { status, output } = await stand.run(stand.syncAdapters("llama-8b"));
    expect(output).toContain("complete: s3://models/_adapters/llama-8b/rulings/ holds 2 files of org/rulings-lora");
    expect(status).toBe(0);
    const folder = (name: string) => [".manifest.json", ...COPIED].map((path) => `_adapters/llama-8b/${name}/${path}`);
    expect(await keys()).toEqual([...folder("contracts"), ...folder("rulings")]);
    const manifest = await stand.store.administrator.get("models", "_adapters/llama-8b/contracts/.manifest.json");
    expect(await stand.reports.mounted("llama-8b")).toMatchObject({
      "/etc/weights-manifest/contracts.sha256": sha256(manifest),
      "/etc/weights-manifest/contracts.commit": COMMIT,
    });
  });

  it("come to the engine's folder with the model's own keys, those that were put there by hand too", async () => {
    const container = await stand.fetchAdapters("llama-8b");
    const { status, output } = await stand.run(container);
    expect(output).toContain("copied uploaded/adapter_model.safetensors");
    expect(status).toBe(0);
    const files = [
      ["contracts", adapterOf(16)],
      ["rulings", adapterOf(8)],
      ["uploaded", adapterOf(4)],
    ] as const;
    for (const [name, content] of files) {
      for (const path of COPIED) {
        const copied = readFileSync(`${container.here("/adapters")}/${name}/${path}`);
        expect([name, path, sha256(copied)]).toEqual([name, path, sha256(content[path] ?? Buffer.alloc(0))]);
      }
    }
  });

  it("are refused by the Job, in the words of the plan, where the engine would not load them", async () => {
    const before = await keys();
    const platform = await stand.changed([withAdapters("large")]);
    const { status, output } = await stand.run(stand.syncAdapters("llama-8b", platform));
    expect(output).toContain(
      "failed: models.llama-8b.adapters.large: adapter_config.json says use_dora, which the engine does not serve; and " +
        "rank 64, allowed: at most 16 (--max-lora-rank); fix: write models.llama-8b.vllm.maxLoraRank: 64",
    );
    expect(status).toBe(1);
    expect(await keys()).toEqual(before);
  });

  it("are refused as anything but safetensors", async () => {
    const platform = await stand.changed([withAdapters("pickled")]);
    const { status, output } = await stand.run(stand.syncAdapters("llama-8b", platform));
    expect(output).toContain("there is no adapter_model.safetensors, only: adapter_config.json, adapter_model.bin");
    expect(status).toBe(1);
  });

  it("are refused where somebody else wrote into the bucket", async () => {
    const key = "_adapters/llama-8b/contracts/adapter_config.json";
    const own = await stand.store.administrator.get("models", key);
    await stand.store.administrator.put(
      "models",
      key,
      Buffer.from(String(own).replace('"bias":"none"', '"bias":"all!"')),
    );
    const { status, output } = await stand.run(await stand.fetchAdapters("llama-8b"));
    expect(output).toContain("adapter_config.json: got ");
    expect(status).toBe(1);
    await stand.store.administrator.put("models", key, own);
  });
});
