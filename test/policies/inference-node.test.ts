import { describe, expect, it } from "vitest";
import { evaluatePolicies, type RecordedInputs } from "../../policies/evaluate";
import { gpuClaimedOnce } from "../../policies/rules/gpu-claimed-once";
import { deployNode, NODE_KINDS } from "../components/node/node-pods";
import { HOMES, plan, podSpec } from "./cases";

const evaluate = (
  resources: readonly RecordedInputs[],
  policies?: Parameters<typeof evaluatePolicies>[1]["policies"],
) => evaluatePolicies(resources, { project: "inference-stacks", stack: "test", ...(policies && { policies }) });

/**
 * The pod that Octopus shows for a node: its proxy claims a GPU, and so does the engine beside it ("AI Inference Server Node", GPU Allocation
 * Configuration; read 2026-11-23).
 */
const published = podSpec({
  containers: [
    {
      name: "inference-node",
      image: "mycompany/inference-proxy:1.0.0",
      resources: { limits: { "nvidia.com/gpu": 1 }, requests: { "nvidia.com/gpu": 1 } },
      env: [
        { name: "InferenceNode__BackendUrl", value: "http://localhost:11434" },
        { name: "InferenceNode__GroupName", value: "inference-cluster" },
      ],
    },
    {
      name: "ollama",
      image: "ollama/ollama:latest",
      resources: { limits: { "nvidia.com/gpu": 1 } },
      volumeMounts: [{ name: "model-cache", mountPath: "/root/.ollama" }],
    },
  ],
});

/** Of the plans of these models. */
const POOLS = {
  pools: ["a10", "h100"].map((name) => ({
    name,
    role: "gpu",
    selector: { "inference-stacks.io/pool": name },
    taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
  })),
};

describe("the pod of a node", () => {
  it("as it is published claims two GPUs for one model, and is refused", () => {
    const pod = [HOMES.Pod?.({ spec: published })].filter((each) => each !== undefined);
    expect(evaluate(pod, [gpuClaimedOnce]).violations).toMatchObject([
      {
        severity: "mandatory",
        message: expect.stringContaining(
          'spec.containers[1].resources.limits["nvidia.com/gpu"] claims GPUs a second time (inference-node, ollama)',
        ),
      },
    ]);
  });

  it.each(NODE_KINDS)("of %s claims them once, and passes every policy", async (kind) => {
    const { deployment } = await deployNode(kind);
    const { resources } = deployment.recording;
    expect(JSON.stringify(resources).match(/"nvidia\.com\/gpu":/g)?.length).toBeGreaterThan(1);
    const { violations, undecided } = evaluate([...resources, plan(POOLS)]);
    expect(violations.map(({ policy, message }) => `${policy}: ${message}`)).toEqual([]);
    expect(undecided.filter(({ policy }) => policy === gpuClaimedOnce.name)).toEqual([]);
  });
});
