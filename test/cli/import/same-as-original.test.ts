/** What each original says of itself, written down by hand, against the plan of what was imported. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main as plan } from "../../../cli/plan";
import { runPiped, useFolder } from "../run";
import { fixtureFiles, importFixtures } from "./imported";

/** A server: its weights, the card, GPUs of a pod, pods of a replica, and how many pods or groups there are. */
interface Original {
  readonly model: string;
  /** Undefined: the original leaves the machine to its cluster. Null: it runs on CPUs. */
  readonly card?: string | null;
  readonly gpus: number;
  readonly nodes?: number;
  readonly replicas: number;
}

const A100 = "NVIDIA A100 80GB PCIe";
const llama8b = { model: "llama-3.1-8b-instruct", gpus: 1, replicas: 1 };
const qwen7b = { model: "qwen2.5-7b-instruct", gpus: 1, replicas: 1 };

const ORIGINALS: Readonly<Record<string, readonly Original[]>> = {
  "compose/ollama.yaml": [{ model: "llama-3.2-3b-instruct", card: null, gpus: 1, replicas: 1 }],
  "compose/tgi-and-triton.yaml": [qwen7b, { model: "bge-m3", gpus: 1, replicas: 1 }],
  "compose/vllm.yaml": [{ model: "qwen3-8b", gpus: 2, replicas: 1 }],
  "kaito-inference-set/config.yaml": [{ ...llama8b, card: A100 }],
  "kaito-inference-set/partition.yaml": [{ model: "qwen2.5-0.5b-instruct", gpus: 1, replicas: 1 }],
  "kaito-inference-set/replicas.yaml": [{ ...llama8b, card: A100, replicas: 2 }],
  "kaito-workspace/llama-70b.yaml": [{ model: "llama-3.3-70b-instruct", card: A100, gpus: 2, nodes: 2, replicas: 1 }],
  // Less than half of one GPU holds it: KAITO runs a copy on each of the four.
  "kaito-workspace/llama-8b.yaml": [{ ...llama8b, card: A100, replicas: 4 }],
  "kaito-workspace/partition.yaml": [{ ...llama8b, gpus: 2 }],
  "kserve-inference-service/custom-container.yaml": [{ ...llama8b, card: "NVIDIA L40S", gpus: 2 }],
  "kserve-inference-service/huggingface.yaml": [qwen7b],
  "kserve-inference-service/multi-node.yaml": [
    { model: "llama-3.1-405b-instruct-fp8", card: "NVIDIA H100 80GB SXM", gpus: 4, nodes: 2, replicas: 1 },
  ],
  "kserve-inference-service/runtime.yaml": [llama8b],
  "kserve-llm-inference-service/amd.yaml": [{ ...qwen7b, replicas: 2 }],
  "kserve-llm-inference-service/base-refs.yaml": [{ ...llama8b, gpus: 2 }],
  "kserve-llm-inference-service/prefill-decode.yaml": [{ ...qwen7b, replicas: 3 }],
  "kserve-llm-inference-service/single-gpu.yaml": [{ ...qwen7b, replicas: 3 }],
  "kubeai-model/bucket.yaml": [{ ...llama8b, card: "NVIDIA L4" }],
  "kubeai-model/phi-ollama.yaml": [{ model: "phi-4", card: "NVIDIA L4", gpus: 1, replicas: 0 }],
  "kubeai-model/qwen-l4.yaml": [{ ...qwen7b, card: "NVIDIA L4" }],
  "kubeai-model/values.yaml": [{ model: "deepseek-r1", card: "AMD Instinct MI300X", gpus: 8, replicas: 1 }],
  "oci-recipe/a10-pool.json": [],
  "oci-recipe/autoscaling.json": [{ model: "llama-3.2-1b-instruct", card: "NVIDIA A10", gpus: 1, replicas: 1 }],
  "oci-recipe/multinode-bm-a10.json": [{ ...llama8b, card: "NVIDIA A10", gpus: 4, nodes: 2 }],
  "oci-recipe/multinode-vm-a10.json": [{ ...llama8b, card: "NVIDIA A10", gpus: 2, nodes: 2 }],
  "oci-recipe/rdma-inference.json": [
    { model: "llama-3.1-405b-instruct", card: "NVIDIA H100 80GB SXM", gpus: 8, nodes: 2, replicas: 1 },
  ],
  "oci-recipe/rdma-pool.json": [],
  "oci-recipe/shared-pool-inference.json": [{ ...llama8b, card: "NVIDIA A10", gpus: 2 }],
  "ollama-helm/amd.yaml": [qwen7b],
  "ollama-helm/cpu.yaml": [{ model: "llama-3.2-3b-instruct", card: null, gpus: 1, replicas: 2 }],
  "ollama-helm/first-charts.yaml": [llama8b],
  "ollama-helm/gpu.yaml": [
    { ...llama8b, card: "NVIDIA L4" },
    { model: "qwen3-8b", card: "NVIDIA L4", gpus: 1, replicas: 1 },
  ],
  "production-stack/basic.yaml": [llama8b],
  "production-stack/lora.yaml": [{ ...llama8b, replicas: 2 }],
  "production-stack/own-parts.yaml": [llama8b],
  "production-stack/tensor-parallel.yaml": [{ ...qwen7b, card: "NVIDIA A100 80GB SXM", gpus: 2 }],
};

describe("the plan of an imported file", () => {
  it("is compared for every fixture", () => {
    expect(Object.keys(ORIGINALS).sort()).toEqual(fixtureFiles());
  });

  it.each(Object.entries(ORIGINALS))(
    "%s has the original's models, cards, layout and replicas",
    async (file, originals) => {
      const { settled, entries } = await importFixtures([file]);
      const reasons = entries.map(({ why }) => why).join();
      const decision = settled?.decision;
      const planned = decision?.kind === "planned" ? decision.plan.models : [];
      const weights = settled?.models.map((model) => model.weights.model) ?? [];
      expect(weights).toEqual(originals.map(({ model }) => model));
      planned.forEach((model, index) => {
        const { card, gpus, nodes = 1, replicas } = originals[index] ?? { gpus: 0, replicas: 0 };
        if (card === undefined) {
          expect(`${settled?.text}${reasons}`).toMatch(/default, of --card|no field names the card/);
        } else {
          expect(model.gpuModel ?? null).toBe(card);
        }
        expect([model.tensorParallel, model.pipelineParallel, model.minReplicas]).toEqual([gpus, nodes, replicas]);
      });
      expect(planned).toHaveLength(originals.length);
    },
  );
});

describe("npm run plan --json", () => {
  const folder = useFolder();

  it.each(["oci-recipe/rdma-inference.json", "production-stack/lora.yaml", "kserve-inference-service/runtime.yaml"])(
    "takes what %s became, without an edit",
    { timeout: 60_000 },
    async (file) => {
      const { settled } = await importFixtures([file]);
      const path = join(folder, "Pulumi.imported.yaml");
      writeFileSync(path, settled?.text ?? "");
      const { status, out } = await runPiped(plan, ["imported", "--config", path, "--json"]);
      const { models } = JSON.parse(out) as { models: Record<string, unknown>[] };
      expect(status).toBe(0);
      expect(models).toMatchObject(
        (ORIGINALS[file] ?? []).map(({ gpus, nodes = 1, replicas }) => ({
          tensorParallel: gpus,
          pipelineParallel: nodes,
          minReplicas: replicas,
        })),
      );
    },
  );
});
