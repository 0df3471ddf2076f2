/** Texts of verdicts: memory left or missing, the error, and its basis. */
import type { Decider, MemoryVerdict } from "./verdict";

type Judged = Pick<MemoryVerdict, "answer" | "decides" | "compared" | "intervalGiB" | "basis">;

/** "may start or not: 0.3 GiB to spare by the estimate, which can be 0.9 GiB off (vLLM 0.33 not measured on L40S)". */
export function verdictText(verdict: Judged): string {
  const spareGiB = verdict.compared.limitGiB - verdict.compared.needGiB;
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
  "free memory":
    "the memory that is free at the start decides, of which the utilization leaves too little to the GPU's context",
  "graph capture":
    "what tables of pages, CUDA graphs and the sampler take on top of the budget, once the cache has been filled, decides",
  "recurrent states":
    "the places for recurrent states decide, of which every request that may run at once (max-num-seqs) takes one",
  "host memory": "the host's memory decides",
  "other models": "what the other models of its server take decides",
};

/** As a clause. */
export function deciderText(decides: Decider): string {
  return DECIDERS[decides];
}

function gib(value: number): string {
  return `${value.toFixed(1)} GiB`;
}
