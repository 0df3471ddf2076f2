/** A verdict in words: what is left or missing, how far the estimate can be off, and what that rests on. */
import type { MemoryBudget } from "./types";
import type { Decider, MemoryVerdict } from "./verdict";

type Judged = Pick<MemoryVerdict, "answer" | "decides" | "intervalGiB" | "basis">;

/** "may start or not: 0.3 GiB to spare by the estimate, which can be 0.9 GiB off (vLLM 0.33 not measured on L40S)". */
export function verdictText(
  { totalGiB, limitGiB }: Pick<MemoryBudget, "totalGiB" | "limitGiB">,
  verdict: Judged,
): string {
  const spareGiB = limitGiB - totalGiB;
  const { below, above } = verdict.intervalGiB;
  const [margin, off] = spareGiB >= 0 ? [`${gib(spareGiB)} to spare`, above] : [`${gib(-spareGiB)} missing`, below];
  return `${opening(verdict)}${margin} by the estimate, which can be ${gib(off)} off (${verdict.basis})`;
}

function opening({ answer, decides }: Judged): string {
  if (answer !== "edge") {
    return "";
  }
  return decides === "KV cache" ? "may hold this load or not: " : "may start or not: ";
}

const DECIDERS: Readonly<Record<Decider, string>> = {
  engine: "the engine refuses to start",
  weights: "weights and activations decide",
  "one request": "the KV cache of one request decides",
  "KV cache": "the KV cache of this load decides",
  "graph capture": "CUDA graphs decide, which are captured on top of the budget",
  "host memory": "the host's memory decides",
  "other models": "what the other models of its server take decides",
};

/** What the answer turns on, as a clause. */
export function deciderText(decides: Decider): string {
  return DECIDERS[decides];
}

function gib(value: number): string {
  return `${value.toFixed(1)} GiB`;
}
