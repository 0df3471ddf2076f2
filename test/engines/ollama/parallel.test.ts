import { describe, expect, it } from "vitest";
import { ollama } from "../../../engines/ollama";
import table from "../../../engines/ollama/parallel.json";
import { knownFamilies } from "../../../planner/model/families/registry";
import { planDeployment } from "../../../planner/plan";
import type { ModelRequest } from "../../../planner/request";
import { environmentOf, modelOf, poolOf } from "../../planner/fixtures";

/** On one card, scaled from one replica to four. */
function planned(name: string, changes: Partial<ModelRequest> = {}, others: readonly ModelRequest[] = []) {
  const scaling = { by: "keda", targets: {}, schedule: [], spareReplicas: 0 } as const;
  const host = onOllama(name, { maxReplicas: 4, scaling, ...changes });
  const plan = planDeployment(environmentOf([poolOf("g6e.4xlarge", 8)], [host, ...others]));
  expect(plan.problems).toEqual([]);
  return plan.models;
}

function onOllama(name: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return modelOf(name, {
    engine: "ollama",
    engineVersion: ollama.options.options.version,
    quantization: "Q4_K_M",
    source: { kind: "ollama", tag: `${name}:x` },
    contextTokens: 4096,
    concurrency: 16,
    ...changes,
  });
}

describe("models that Ollama serves one at a time", () => {
  it("are of the pinned release, and families that the planner reads", () => {
    expect(table.version).toBe(ollama.options.options.version);
    expect(knownFamilies()).toEqual(expect.arrayContaining(table.families));
  });

  it("count one request in memory, speed and scaling, and say so", () => {
    const [model] = planned("bge-m3", { task: "embedding" });
    expect(model?.concurrency).toBe(1);
    expect(model?.scaling?.signals).toMatchObject([{ on: "queue", target: 1 }]);
    expect(model?.notes.join("\n")).toMatch(/1 request at once, not the 16 .*parallel=1.*engine: vllm/);
  });

  it("take the cache of one request", () => {
    const [many] = planned("nemotron-3-nano-30b-a3b", { contextTokens: 8192 });
    const [one] = planned("nemotron-3-nano-30b-a3b", { contextTokens: 8192, concurrency: 1 });
    expect(many?.memoryPerGpu).toEqual(one?.memoryPerGpu);
    expect(one?.notes.join("\n")).not.toContain("parallel=1");
  });

  it("do not keep others of their server from more, nor are they kept by them", () => {
    const guest = onOllama("bge-m3", { task: "embedding", serverOf: "llama-3-2-3b-instruct" });
    const chat = planned("llama-3.2-3b-instruct", { concurrency: 4 }, [guest]);
    expect(chat.map(({ name, concurrency }) => [name, concurrency])).toEqual([
      ["llama-3-2-3b-instruct", 4],
      ["bge-m3", 1],
    ]);
    const joined = onOllama("llama-3.2-3b-instruct", { serverOf: "bge-m3" });
    const embedding = planned("bge-m3", { task: "embedding", concurrency: 4 }, [joined]);
    expect(embedding.map(({ concurrency }) => concurrency)).toEqual([1, 4]);
  });

  it("are no other models, and none of vLLM", () => {
    expect(planned("llama-3.2-3b-instruct", { concurrency: 4 })[0]?.concurrency).toBe(4);
    const { architecture } = modelOf("bge-m3");
    expect(ollama.mostAtOnce?.({ task: "chat", architecture })).toBeUndefined();
  });
});
