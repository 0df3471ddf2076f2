/** Pictures of a platform for tests of `top`. */
import type { Snapshot } from "../../../cli/top/facts";

const GIB = 2 ** 30;

export const SNAPSHOT: Snapshot = {
  at: "2026-11-29T03:00:07.000Z",
  environment: "aws-prod",
  hourlyUsd: 12.34,
  sources: {
    control: { url: "http://127.0.0.1:1994", ok: true, answeredAt: "2026-11-29T03:00:07.000Z" },
    prometheus: { url: "http://127.0.0.1:9090", ok: true, answeredAt: "2026-11-29T03:00:07.000Z" },
  },
  workers: [
    {
      name: "chat",
      engine: "vllm",
      state: "running",
      memory: { usedBytes: 60 * GIB, budgetBytes: 80 * GIB },
      models: ["chat"],
    },
    {
      name: "small-0",
      engine: "ollama",
      state: "unreachable",
      memory: { usedBytes: GIB, budgetBytes: 8 * GIB },
      disk: { usedBytes: 5 * GIB, budgetBytes: 50 * GIB },
      models: [],
      problem: "connection refused",
    },
  ],
  models: [
    {
      name: "chat",
      ready: 1,
      plannedReplicas: 2,
      waiting: 3,
      running: 16,
      firstTokenMs: 412.4,
      tokenMs: 31,
      requestMs: 20_400,
      kvCache: 0.93,
      gpuMemory: 0.88,
      hourlyUsd: 10,
    },
    { name: "small", state: "loaded", workers: ["small-0"], waiting: 9, kvCache: 0.1, hourlyUsd: 2.34 },
  ],
  tasks: [
    { id: "1", kind: "pull", state: "running", model: "llama3.2:1b", worker: "small-0", progress: 42 },
    { id: "2", kind: "load", state: "failed", model: "gone:1b", progress: 0, error: "no such model" },
  ],
  gpus: [{ node: "gpu-1", gpu: "0", product: "NVIDIA L40S", model: "chat", memory: 0.88, utilization: 0.7 }],
  alerts: [{ name: "ModelUnavailable", severity: "critical", about: "small" }],
};
