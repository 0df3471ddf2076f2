/** Replicas of imported models are the original's, with the defaults of its platform, or the report says why not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Imported } from "../../../cli/import/import-files";
import { importText, kindsAt } from "./imported";

const replicas = ({ settled }: Imported) => settled?.models[0]?.draft.replicas;

const kubeai = (fields: string) =>
  importText(
    `apiVersion: kubeai.org/v1\nkind: Model\nmetadata: { name: m }\nspec: { url: hf://Qwen/Qwen3-8B, engine: VLLM, resourceProfile: nvidia-gpu-l4:1, ${fields} }`,
  );
const ollama = (fields: string) => importText(`{ ollama: { models: { pull: ['qwen3:8b'] } }, ${fields} }`);
const keda = (fields: string, more = "") =>
  importText(
    `servingEngineSpec: { modelSpec: [{ name: a, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, replicaCount: 2, requestGPU: 1, ${more} keda: { ${fields} } }] }`,
  );
const kserve = (predictor: string, annotations = "") =>
  importText(
    `apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: { name: q, annotations: { ${annotations} } }\nspec: { predictor: { ${predictor} model: { modelFormat: { name: huggingface }, storageUri: hf://Qwen/Qwen3-8B, resources: { limits: { nvidia.com/gpu: '1' } } } } }`,
  );

describe("replicas", () => {
  it.each([
    ["KubeAI's limits", () => kubeai("minReplicas: 1, maxReplicas: 3"), { min: 1, max: 3 }],
    ["KubeAI's least", () => kubeai("maxReplicas: 3"), { min: 0, max: 3 }],
    [
      "fixed ones of KubeAI",
      () => kubeai("autoscalingDisabled: true, replicas: 3, minReplicas: 0, maxReplicas: 5"),
      { min: 3 },
    ],
    ["those that KubeAI sets itself", () => kubeai("replicas: 2, minReplicas: 0, maxReplicas: 5"), { min: 0, max: 5 }],
    ["Ollama's", () => ollama("replicaCount: 2"), { min: 2 }],
    ["the chart's own limits", () => ollama("replicaCount: 2, autoscaling: { enabled: true }"), { min: 1, max: 100 }],
    [
      "stated limits",
      () => ollama("autoscaling: { enabled: true, minReplicas: 2, maxReplicas: 3 }"),
      { min: 2, max: 3 },
    ],
    ["KEDA's own limits", () => keda("enabled: true"), { min: 0, max: 100 }],
    ["KEDA's least", () => keda("enabled: true, maxReplicaCount: 3"), { min: 0, max: 3 }],
    ["stated ones of KEDA", () => keda("enabled: true, minReplicaCount: 1, maxReplicaCount: 3"), { min: 1, max: 3 }],
    ["KEDA switched off", () => keda("enabled: false, maxReplicaCount: 3"), { min: 2 }],
    ["KEDA with Ray", () => keda("enabled: true, maxReplicaCount: 3", "raySpec: { enabled: true },"), { min: 2 }],
    ["KServe's", () => kserve("minReplicas: 1, maxReplicas: 3,"), { min: 1, max: 3 }],
    ["KServe's none", () => kserve("minReplicas: 0,"), { min: 0, max: 1 }],
    ["KServe's none without limit", () => kserve("minReplicas: 0, maxReplicas: 0,"), { min: 0, max: 1 }],
  ])("are %s", async (_, read, expected) => {
    const result = await read();
    expect(replicas(result)).toEqual(expected);
    expect(result.settled?.decision.kind).toBe("planned");
  });

  it.each([
    ["KubeAI", () => kubeai("minReplicas: 2"), "spec.minReplicas"],
    ["KubeAI without a least number", () => kubeai("features: [TextGeneration]"), "spec.url"],
    ["ollama-helm", () => ollama("autoscaling: { enabled: true, minReplicas: 2 }"), "autoscaling.enabled"],
    ["KEDA", () => keda("enabled: true, minReplicaCount: 1"), "servingEngineSpec.modelSpec[0].keda.enabled"],
    ["KServe", () => kserve("minReplicas: 2,"), "spec.predictor.minReplicas"],
  ])("of %s without a limit have one here, and the report says which", async (_, read, path) => {
    expect(kindsAt(await read(), path)).toContain("changed");
  });

  it("of KubeAI are never fewer than the original has, and a limit that is not stated is told", async () => {
    const count = fc.integer({ min: 0, max: 9 });
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          { minReplicas: count, maxReplicas: count, replicas: count, autoscalingDisabled: fc.boolean() },
          { requiredKeys: [] },
        ),
        async (spec) => {
          const result = await kubeai(JSON.stringify(spec).slice(1, -1));
          const found = replicas(result);
          const min = found?.min ?? 0;
          const max = found?.max ?? min;
          if (spec.autoscalingDisabled === true) {
            expect([min, max]).toEqual([spec.replicas ?? spec.minReplicas ?? 0, min]);
          } else {
            expect(min).toBe(spec.minReplicas ?? 0);
            expect(max).toBeGreaterThanOrEqual(min);
            const isTold = result.entries.some(({ why }) => why?.startsWith("without maxReplicas") === true);
            expect(isTold).toBe(spec.maxReplicas === undefined);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("of Knative's annotations are KServe's own to write", async () => {
    const result = await kserve("", 'autoscaling.knative.dev/min-scale: "3", autoscaling.knative.dev/target: "10"');
    expect(kindsAt(result, "metadata.annotations.autoscaling.knative.dev/min-scale")).toEqual(["wrong"]);
    expect(kindsAt(result, "metadata.annotations.autoscaling.knative.dev/target")).toEqual(["changed"]);
  });
});
