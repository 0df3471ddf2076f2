/** The fewest of each catalogue card in one machine that hold a replica. */
import { cardResource, type GpuModel, gpuModels, type MachineShape } from "../catalog/shapes";
import type { Candidate, Refusal } from "./candidates/types";
import { cheapestShapes, type FittingMachine, fitOnMachine } from "./fitting";
import type { ModelRequest } from "./request";

export interface CardFit {
  readonly gpu: GpuModel;
  /** The smallest layout that fits, else the refusal of the largest machine tried. */
  readonly answer: { readonly candidate: Candidate } | { readonly refusal: Refusal };
  /** GiB left on the tightest GPU; negative when missing, undefined where not computed. */
  readonly spareGiB?: number;
  /** The cheapest cloud machine with this card that holds a replica. */
  readonly cheapest?: FittingMachine;
}

/** Cards in one machine. */
const COUNTS = [1, 2, 4, 8];

export function compareCards(model: ModelRequest): CardFit[] {
  return gpuModels.map((gpu) => {
    const answer = smallest(model, gpu);
    const estimate = "candidate" in answer ? answer.candidate.estimate : answer.refusal.estimate;
    const [cheapest] = cheapestShapes(model, 1, gpu.model);
    return {
      gpu,
      answer,
      ...(estimate && { spareGiB: estimate.perGpu.limitGiB - estimate.perGpu.totalGiB }),
      ...(cheapest && { cheapest }),
    };
  });
}

/** What one card refuses for reasons other than memory, more of them refuse too. */
function smallest(model: ModelRequest, gpu: GpuModel): CardFit["answer"] {
  let answer = fitOnMachine(model, machineWith(gpu, 1), 1);
  for (const count of COUNTS.slice(1)) {
    if ("candidate" in answer || answer.refusal.estimate === undefined) {
      break;
    }
    answer = fitOnMachine(model, machineWith(gpu, count), 1);
  }
  return answer;
}

/** An unlimited host, so that the cards alone decide. */
export function machineWith(gpu: GpuModel, count: number): MachineShape {
  const { memorySource: _memory, engineMemorySource: _engine, notes: _notes, ...card } = gpu;
  const resource = cardResource(gpu);
  return {
    provider: "onprem",
    name: `${count} × ${gpu.model}`,
    gpu: { ...card, count, resource },
    cpu: { arch: "amd64", vcpus: 16 * count },
    memoryGiB: Math.max(128, Math.ceil(3 * gpu.memoryGiB)) * count,
    localNvmeGB: 8000,
    networkGbps: 10,
    rdma: { kind: "none", gbps: 0 },
    noPriceReason: "a machine for comparison",
    notes: "",
    source: "catalog/shapes/gpus.json",
    asOf: "",
  };
}
