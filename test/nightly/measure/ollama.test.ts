/** `npm run measure` against a real Ollama on this machine's processors, and plans that count with what it wrote. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MeasuredLoad, SpeedMeasurement } from "../../../planner/speed/measurement";
import { parseMeasurement } from "../../../stacks/calibration/schema";
import { type Ollama, type Registry, startOllama, startRegistry, tinyLlama } from "../../e2e/model-control/registry";
import { runCommand } from "./run-command";

/** Enough for a token to take some milliseconds. */
const BYTES = 24_000_000;
const LAYERS = 2;
const HIDDEN = 64;
/** As many requests as the server takes at once, and those of the measured loads. */
const SLOTS = 8;
const EXPECTED = 2;
/** A load that is not measured when the plan speaks of it. */
const NEXT = 4;
/** The usual request of a plan without traffic, 1,000 and 300 tokens, shortened to this context. */
const CONTEXT = 130;
const TRAFFIC = "in=100,out=30";
const MINUTES = 2;
/** That the planner knows too. */
const OTHER_VERSION = "0.32.15";

let ollama: Ollama;
let registry: Registry;
let folder: string;
let tag: string;
let version: string;

beforeAll(async () => {
  [ollama, registry] = await Promise.all([startOllama({ OLLAMA_NUM_PARALLEL: String(SLOTS) }), startRegistry()]);
  tag = registry.publish("measured:latest", tinyLlama({ seed: 1, bytes: BYTES }));
  const pulled = await fetch(`${ollama.url}/api/pull`, {
    method: "POST",
    body: JSON.stringify({ model: tag, insecure: true, stream: false }),
  });
  expect(await pulled.text()).toContain("success");
  // As the platform serves it: under the name of the environment.
  const named = JSON.stringify({ source: tag, destination: "measured" });
  expect((await fetch(`${ollama.url}/api/copy`, { method: "POST", body: named })).status).toBe(200);
  const said = (await (await fetch(`${ollama.url}/api/version`)).json()) as { version: string };
  version = said.version;
  folder = mkdtempSync(join(tmpdir(), "inference-stacks-measure-"));
  const feedForward = Math.round(BYTES / (LAYERS * 3 * HIDDEN * 4));
  const config = {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    hidden_size: HIDDEN,
    intermediate_size: feedForward,
    num_hidden_layers: LAYERS,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    vocab_size: 512,
    max_position_embeddings: 2048,
    torch_dtype: "float32",
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
});
afterAll(async () => {
  await Promise.all([ollama?.stop(), registry?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** One machine without GPUs with that model. */
function environment(concurrency: number, engineVersion: string): string {
  const path = join(folder, `Pulumi.c${concurrency}.yaml`);
  writeFileSync(
    path,
    `config:
  inference-stacks:stage: development
  inference-stacks:cluster: { kind: local }
  inference-stacks:pools:
    machine: { role: cpu, node: { vcpus: 8, memoryGiB: 32, localNvmeGB: 200, networkGbps: 10 }, usdPerNodeHour: 0.1 }
  inference-stacks:models:
    measured:
      config: ./config.json
      engine: ollama
      engineVersion: ${engineVersion}
      source: ollama://${tag.replace(/^[^/]+\//, "")}
      quantization: F32
      contextTokens: ${CONTEXT}
      concurrency: ${concurrency}
  inference-stacks:gateway: { hostname: inference.example.internal, tls: { kind: self-signed }, exposure: ClusterIP }
`,
  );
  return path;
}

async function measured(concurrency: number, ...more: string[]): Promise<SpeedMeasurement> {
  const file = environment(SLOTS, version);
  const { status, out, err } = await runCommand("measure", [
    `c${SLOTS}`,
    "--config",
    file,
    "--url",
    ollama.url,
    "--model",
    "measured",
    "--concurrency",
    String(concurrency),
    "--traffic",
    TRAFFIC,
    "--minutes",
    String(MINUTES),
    "--json",
    ...more,
  ]);
  expect({ status, err: status === 0 || out !== "" ? "" : err }).toMatchObject({ err: "" });
  return parseMeasurement(out);
}

function loadOf({ loads }: SpeedMeasurement, inFlight: number): MeasuredLoad {
  const load = loads.find((each) => each.inFlight === inFlight);
  if (load === undefined) {
    throw new Error(`no load of ${inFlight} was measured`);
  }
  return load;
}

interface PlannedModel {
  readonly noSpeed?: string;
  readonly notes: readonly string[];
  readonly speed?: {
    readonly basis: string;
    readonly inFlight: number;
    readonly tokenMs: { readonly mean: { readonly expected: number } };
    readonly tokensPerSecond: { readonly expected: number };
  };
}

async function planned(concurrency: number, engineVersion = version): Promise<PlannedModel> {
  const file = environment(concurrency, engineVersion);
  const { status, out, err } = await runCommand("plan", [`c${concurrency}`, "--config", file, "--json"]);
  expect({ status, told: status === 0 ? "" : err || JSON.stringify(JSON.parse(out).problems) }).toEqual({
    status: 0,
    told: "",
  });
  const { models } = JSON.parse(out) as { models: [PlannedModel] };
  return models[0];
}

/** How far two measurements of a figure lie from each other, in what they state together. */
function apart(
  a: { readonly value: number; readonly error?: number },
  b: { readonly value: number; readonly error?: number },
): number {
  const stated = Math.hypot(a.error ?? 0, b.error ?? 0);
  return Math.abs(a.value - b.value) / (((a.value + b.value) / 2) * stated);
}

describe("a model on a real Ollama", () => {
  it("is measured within its time, twice within what it states; the plan counts with it, for a load between too", async () => {
    expect((await planned(NEXT)).noSpeed).toContain("nobody knows how fast the memory of the CPUs");

    const before = performance.now();
    const first = await measured(EXPECTED);
    expect(performance.now() - before).toBeLessThan((MINUTES + 2) * 60_000);
    expect(first).toMatchObject({ engine: "ollama", engineVersion: version, complete: true });
    expect(first.loads.map(({ inFlight, failed }) => [inFlight, failed])).toEqual([
      [1, 0],
      [EXPECTED, 0],
      [4 * EXPECTED, 0],
    ]);

    const again = await measured(EXPECTED, "--out", join(folder, "again.json"));
    const figures = ({ tpotMs, e2eMs, tokensPerSecond }: MeasuredLoad) => [
      ...[tpotMs, e2eMs].map((figure) => ({ value: figure?.median ?? 0, error: figure?.error })),
      tokensPerSecond,
    ];
    const far = first.loads.flatMap((load) => {
      const others = figures(loadOf(again, load.inFlight));
      return figures(load).map((figure, index) => apart(figure, others[index] ?? { value: 0 }));
    });
    // Each holds for 95 %: of nine, one may lie outside.
    expect(far.filter((each) => each > 1).length).toBeLessThanOrEqual(1);
    expect(Math.max(...far)).toBeLessThan(2);

    const { speed } = await planned(NEXT);
    expect(speed).toMatchObject({ basis: "own", inFlight: NEXT });
    const next = loadOf(await measured(NEXT, "--out", join(folder, "next.json")), NEXT);
    const tokenMs = speed?.tokenMs.mean.expected ?? 0;
    const tokensPerSecond = speed?.tokensPerSecond.expected ?? 0;
    console.log(
      `${NEXT} at once: ${tokenMs} ms predicted, ${next.tpotMs?.median} measured; ${tokensPerSecond} tokens/s, ${next.tokensPerSecond.value}`,
    );
    expect(Math.abs(tokenMs / (next.tpotMs?.median ?? 0) - 1)).toBeLessThan(0.25);
    expect(Math.abs(tokensPerSecond / next.tokensPerSecond.value - 1)).toBeLessThan(0.25);

    const other = await planned(NEXT, OTHER_VERSION);
    expect(other.speed).toBeUndefined();
    expect(other.notes).toContainEqual(
      expect.stringContaining(`measured with ollama ${version}, which does not count`),
    );
  });
});
