/** Kinds of model that teams of one company run side by side; each fits at least two of the pools. */
const KINDS = [
  { model: "llama-3.3-70b-instruct", engine: "vllm" },
  { model: "qwen2.5-32b-instruct", engine: "vllm" },
  { model: "llama-3.1-8b-instruct", engine: "vllm" },
  { model: "qwen2.5-7b-instruct", engine: "vllm" },
  { model: "bge-m3", engine: "ollama" },
] as const;

const CONTEXTS = [2048, 4096, 8192] as const;
const CONCURRENCIES = [4, 8, 16] as const;

/** Nodes enough for a thousand models of any kind: the bench measures work, not refusals. */
const gpuPool = (shape: string) => ({ shape, minNodes: 1, maxNodes: 1000 });

/**
 * Environment file (`Pulumi.<env>.yaml`; JSON is YAML) of a shared AWS platform with `count` models over three GPU
 * pools. Model kinds, context lengths and concurrencies vary, so that the planner cannot answer all models at once.
 */
export function environmentWith(count: number): string {
  const models = Array.from({ length: count }, (_, i) => {
    const kind = KINDS[i % KINDS.length] ?? KINDS[0];
    return [
      `model-${String(i).padStart(4, "0")}`,
      {
        ...kind,
        contextTokens: CONTEXTS[Math.floor(i / KINDS.length) % CONTEXTS.length],
        concurrency: CONCURRENCIES[Math.floor(i / (KINDS.length * CONTEXTS.length)) % CONCURRENCIES.length],
        replicas: { min: 1, max: 2 },
      },
    ] as const;
  });
  return JSON.stringify({
    config: {
      "aws:region": "us-east-1",
      "inference-stacks:cluster": { kind: "aws", storageClass: "gp3" },
      "inference-stacks:pools": {
        system: { shape: "m7i.2xlarge", minNodes: 3, maxNodes: 6 },
        h100: gpuPool("p5.48xlarge"),
        l40s: gpuPool("g6e.48xlarge"),
        l4: gpuPool("g6.48xlarge"),
      },
      "inference-stacks:models": Object.fromEntries(models),
      "inference-stacks:gateway": {
        hostname: "inference.example.com",
        tls: { kind: "acme", email: "platform@example.com" },
        consumers: ["web-app", "batch"],
      },
      "inference-stacks:observability": { retentionDays: 30, storageGiB: 200, alerts: "none" },
    },
  });
}
