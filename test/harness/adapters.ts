import type { Adapter, AdaptersPlan } from "../../planner/types";

/** An adapter from Hugging Face. */
export function hubAdapter(name: string, overrides: Partial<Adapter> = {}): Adapter {
  return { name, source: { kind: "huggingface", repository: `org/${name}-lora`, revision: "main" }, ...overrides };
}

/** Planned adapters of an 8B model with ordinary values, overridden where a test looks. */
export function adaptersPlan(overrides: Partial<AdaptersPlan> = {}): AdaptersPlan {
  const list = overrides.list ?? [hubAdapter("contracts"), hubAdapter("rulings", { rank: 8 })];
  return { list, slots: list.length, maxRank: 16, gpuGiB: 0.18, fileGB: 0.2, storageGiB: 2, ...overrides };
}
