/** `npm run measure` against a real Ollama on this machine's processors, and plans that count with what it wrote. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ollama, type Registry, startOllama, startRegistry, tinyLlama } from "../../e2e/model-control/registry";
import { MEASURED, proveMeasured, SLOTS } from "./prove-measured";

/** Enough for a token to take some milliseconds. */
const BYTES = 24_000_000;
const LAYERS = 2;
const HIDDEN = 64;

let ollama: Ollama;
let registry: Registry;

beforeAll(async () => {
  [ollama, registry] = await Promise.all([startOllama({ OLLAMA_NUM_PARALLEL: String(SLOTS) }), startRegistry()]);
});
afterAll(async () => {
  await Promise.all([ollama?.stop(), registry?.stop()]);
});

it("is measured within its time, twice within what it states; the plan counts with it, for a load between too", async () => {
  const tag = registry.publish(`${MEASURED}:latest`, tinyLlama({ seed: 1, bytes: BYTES }));
  const post = (path: string, body: object) =>
    fetch(`${ollama.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  expect(await (await post("/api/pull", { model: tag, insecure: true, stream: false })).text()).toContain("success");
  // As the platform serves it: under the name of the environment.
  expect((await post("/api/copy", { source: tag, destination: MEASURED })).status).toBe(200);
  const { version } = (await (await fetch(`${ollama.url}/api/version`)).json()) as { version: string };
  const config = {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    hidden_size: HIDDEN,
    intermediate_size: Math.round(BYTES / (LAYERS * 3 * HIDDEN * Float32Array.BYTES_PER_ELEMENT)),
    num_hidden_layers: LAYERS,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    vocab_size: 512,
    max_position_embeddings: 2048,
    torch_dtype: "float32",
  };
  await proveMeasured({
    engine: "ollama",
    version,
    otherVersion: "0.32.15",
    url: ollama.url,
    config: JSON.stringify(config),
    model: { source: `ollama://${tag.replace(/^[^/]+\//, "")}`, quantization: "F32" },
  });
});
