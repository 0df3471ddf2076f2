import { laptop } from "./run";

type PoolLabels = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Two pools of one shape, each dedicated to a model of its own that takes its whole GPU, and the platform's. */
export function equalPools(labels: PoolLabels = {}) {
  const model = { model: "qwen2.5-7b-instruct", contextTokens: 4096, concurrency: 2 };
  const dedicated = (pool: string, name: string) => ({
    shape: "VM.GPU.A10.1",
    maxNodes: 2,
    dedicatedTo: [name],
    ...(labels[pool] && { labels: labels[pool] }),
  });
  return {
    ...laptop,
    cluster: { kind: "oci" },
    pools: {
      system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 },
      red: dedicated("red", "chat"),
      blue: dedicated("blue", "code"),
    },
    models: { chat: model, code: model },
  };
}

/** The labels that the refusal asks for. */
export const TOLD_APART = {
  red: { "inference-stacks.io/pool": "red" },
  blue: { "inference-stacks.io/pool": "blue" },
} as const;
