import { changedRun, type ProgramRun } from "../../stacks/run";

const system = { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 3 };
const a10 = { shape: "BM.GPU.A10.4", availabilityDomains: [1], maxNodes: 1 };
const chat = { model: "llama-3.1-8b-instruct", contextTokens: 4096, concurrency: 4, pools: ["a10"] };
const budget = { monthlyUsd: 1_000_000 };

/** `chat`: up to four replicas on one node; `large`: up to two, each over two nodes. KEDA scales both. */
export function scaledByKeda(): Promise<ProgramRun> {
  return changedRun("oci-h100", {
    pools: {
      system,
      a10,
      h100: {
        shape: "BM.GPU.H100.8",
        availabilityDomains: [1],
        minNodes: 4,
        maxNodes: 4,
        dedicatedTo: ["large"],
        rdma: { mode: "managed" },
        image: "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc",
      },
    },
    models: {
      chat: { ...chat, replicas: { min: 1, max: 4 } },
      large: {
        model: "llama-3.1-405b-instruct",
        contextTokens: 16_384,
        concurrency: 16,
        replicas: { min: 1, max: 2 },
        pools: ["h100"],
      },
    },
    budget,
  });
}

/** `chat` alone, by its latency, with the adapter of the cluster. */
export function scaledByLatency(): Promise<ProgramRun> {
  return changedRun("oci-h100", {
    pools: { system, a10 },
    models: {
      chat: {
        ...chat,
        replicas: { min: 1, max: 4 },
        scaling: { by: "hpa", on: ["latency"], targets: { latency: 20_000 } },
      },
    },
    budget,
  });
}

/** `chat`: up to three replicas, and `nap`: at most one, and none while nobody asks. KEDA scales both, the model control API stops and starts both. */
export function scaledAndControlled(): Promise<ProgramRun> {
  return changedRun("oci-h100", {
    pools: { system, a10 },
    models: {
      chat: { ...chat, replicas: { min: 1, max: 3 } },
      nap: { ...chat, replicas: { min: 0, max: 1 } },
    },
    modelControl: { enabled: true, image: "ghcr.io/acme/inference-model-control:1.0.0" },
    budget,
  });
}
