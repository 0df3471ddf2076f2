/** Kernels of vLLM's CPU build by number format, and unsupported features. */
import type { CpuArchitecture } from "../../catalog/shapes";
import { formatFor } from "../../planner/model/format-names";
import type { CardVerdict } from "../card";
import type { ServedModel } from "../served-model";
import { cpuGaps } from "./asked-of-release";
import { unreadOn } from "./card-verdict";
import { movedFromGpus } from "./host-memory";
import { servedCacheDtype } from "./memory/served-model";
import { vllmOwnSettings } from "./settings";
import { type CpuNeeds, cacheDtypes, type ProcessorNeed, weightKindOf } from "./weight-formats";

const OTHER_POOLS = "take a pool with GPUs";

const NOTES: Readonly<Record<Exclude<ProcessorNeed, "any">, (what: string) => string>> = {
  avx512: (what) => `${what} needs a processor with AVX-512, which the catalogue does not state for its machines`,
  amx: (what) =>
    `${what} needs a processor with AMX (Intel's Sapphire Rapids or newer), which the catalogue does not state for its machines`,
  unproven: (what) => `vLLM has a path for ${what} on Arm, but no source shows it running`,
};

/** @param isPinned whether the format tables were read from the model's version. */
export function vllmCpuVerdict(model: ServedModel, arch: CpuArchitecture, isPinned: boolean): CardVerdict {
  const parts = [buildVerdict(model), ...(isPinned ? kernelVerdicts(model, arch) : [])];
  return {
    refusals: parts.flatMap(({ refusals }) => refusals),
    notes: [...new Set(parts.flatMap(({ notes }) => notes))],
    ...unreadOn(model, "CPUs"),
  };
}

function buildVerdict(model: ServedModel): CardVerdict {
  const { name, loading } = model;
  const key = (setting: string) => `models.${name}.vllm.${setting}`;
  const refusals = [
    ...cpuGaps(model),
    // docker/Dockerfile.cpu installs only the extra "audio" (vllm-project/vllm@002c42b2, read
    // 2026-11-22).
    ...(loading === "stream"
      ? [{ reason: "vLLM's image for CPUs has no streamer of weights", remedy: `write ${key("loading")}: copy` }]
      : []),
    // v1/kv_offload/cpu/spec.py, model_executor/offloader of 0.33.0: GPUs only.
    ...movedFromGpus(model, { processes: 1, tensorParallel: 1, pipelineParallel: 1 }).map(({ option }) => ({
      reason: `${option}: vLLM moves nothing to host memory where there is no GPU`,
      remedy: `remove models.${name}.${option}`,
    })),
    // Sleep mode frees GPU memory (config/model.py of 0.32.0 and 0.33.0 refuses the flag
    // elsewhere).
    ...(vllmOwnSettings(model).sleepMode
      ? [{ reason: "vLLM can sleep on GPUs alone", remedy: `remove ${key("sleepMode")}` }]
      : []),
  ];
  const notes =
    model.gpuMemoryUtilization === undefined
      ? []
      : [`${key("gpuMemoryUtilization")} means nothing on CPUs: the KV cache gets what the plan counts for it`];
  return { refusals, notes };
}

function kernelVerdicts(model: ServedModel, arch: CpuArchitecture): CardVerdict[] {
  const { architecture, quantization, kvCacheDtype, engineVersion: version } = model;
  const format = formatFor(architecture, quantization);
  const isOfCheckpoint = architecture.quantization.rules.length > 0;
  const kinds = new Set(format.rules.flatMap(({ scheme }) => weightKindOf(scheme.name) ?? []));
  const weights = [...kinds].map((kind) => {
    const needs = architecture.experts === undefined ? kind.cpu : (kind.cpuExperts ?? kind.cpu);
    const remedy = isOfCheckpoint ? OTHER_POOLS : `remove quantization or write another, or ${OTHER_POOLS}`;
    return kernelVerdict(`${kind.weights} weights`, needs, arch, remedy);
  });
  const mixers = architecture.layerSpecs.map(({ mixer }) => mixer.kind);
  const dtype = servedCacheDtype({ architecture, engine: { version }, kvCacheDtype });
  const cache = cacheDtypes.find((row) => row.dtype === dtype);
  const isLatentEightBit = dtype === "fp8" && mixers.includes("latent");
  return [
    ...weights,
    ...(cache
      ? [
          kernelVerdict(
            `the ${dtype} KV cache`,
            isLatentEightBit ? undefined : cache.cpu,
            arch,
            `write models.${model.name}.vllm.kvCacheDtype: bfloat16`,
          ),
        ]
      : []),
    // platforms/cpu.py of 0.33.0: only "deepseek_v4", on AMX.
    ...(mixers.includes("compressed")
      ? [kernelVerdict("compressed attention", { amd64: "amx" }, arch, OTHER_POOLS)]
      : []),
  ];
}

function kernelVerdict(what: string, needs: CpuNeeds | undefined, arch: CpuArchitecture, remedy: string): CardVerdict {
  const need = needs?.[arch];
  if (need === undefined) {
    return { refusals: [{ reason: `vLLM has no kernel for ${what} on CPUs of ${arch}`, remedy }], notes: [] };
  }
  return { refusals: [], notes: need === "any" ? [] : [NOTES[need](what)] };
}
