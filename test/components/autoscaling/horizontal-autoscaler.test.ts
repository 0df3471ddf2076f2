import { describe, expect, it } from "vitest";
import { horizontalAutoscaler } from "../../../components/autoscaling/horizontal-autoscaler";
import type { ScalingPlan } from "../../../planner/scaling";
import { deploy } from "../../harness/deploy";
import { modelPlan } from "../../harness/plans";
import { scaledModel, scalingPlan } from "./scaled";

const HPA = "kubernetes:autoscaling/v2:HorizontalPodAutoscaler";

function deployed(changes: Partial<ScalingPlan>) {
  const triton = modelPlan({ engine: "triton" });
  const scaled = scaledModel(scalingPlan({ by: "hpa", ...changes }), triton);
  return deploy(() => horizontalAutoscaler("scaled", scaled, {}));
}

describe("the HorizontalPodAutoscaler of a model", () => {
  it("follows recorded series of the model at the figures of the source documents, as valid quantities", async () => {
    const signals = [
      { on: "gpuMemory", target: 75 },
      { on: "latency", target: 80 },
    ] as const;
    const deployment = await deployed({ signals });
    expect(deployment.resource(HPA, "scaled").inputs).toMatchObject({
      metadata: { name: "replicas", namespace: "model-llama-8b" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "model-llama-8b" },
        minReplicas: 1,
        maxReplicas: 4,
        metrics: [
          {
            type: "External",
            external: {
              metric: {
                name: "inference_gpu_memory_utilization",
                selector: { matchLabels: { model: "llama-8b" } },
              },
              target: { type: "Value", value: "75" },
            },
          },
          {
            type: "External",
            external: {
              metric: { name: "inference_p99_latency_ms", selector: { matchLabels: { model: "llama-8b" } } },
              target: { type: "Value", value: "80" },
            },
          },
        ],
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 0 },
          scaleDown: { stabilizationWindowSeconds: 300 },
        },
      },
    });
  });

  it.each(["queue", "kvCache"] as const)("is not made for %s, which only KEDA asks for", async (on) => {
    await expect(deployed({ signals: [{ on, target: 4 }] })).rejects.toThrow(/llama-8b.*only KEDA/);
  });
});
