/** Mostly numbers not divisible by tensor or pipeline parallelism. */

import type { Mixer, ModelArchitecture } from "../../planner/model/architecture";
import { formatFor } from "../../planner/model/format-names";
import { Kept } from "../../planner/model/kept";
import { asMatrix } from "../../planner/model/parameters";
import { schemeFor, type WeightFormat } from "../../planner/model/quantization";
import { type ModelTensor, tensorInventory } from "../../planner/model/tensors";
import type { VllmOptions } from "./memory/options";
import { paddedVocabulary } from "./vocabulary";

/**
 * Reasons why this layout cannot run, with figures; empty if it can. Sources: vLLM 0.33
 * config/model.py (heads; stages of encoders and expert parallelism without experts, both as in
 * 0.8.5), linear.py (KV heads, widths), marlin_utils.py and fp8_utils.py (groups and blocks of
 * quantized weights).
 * @param quantization format that replaces the checkpoint's own
 * @throws UnknownFormatError
 */
export function parallelismProblems(
  architecture: ModelArchitecture,
  tensorParallel: number,
  pipelineParallel: number,
  quantization?: string,
  { expertParallel = false }: Pick<VllmOptions, "expertParallel"> = {},
): readonly string[] {
  const key = [tensorParallel, pipelineParallel, quantization ?? "", expertParallel].join("\n");
  return known.get(architecture, key, () =>
    problemsOf(architecture, tensorParallel, pipelineParallel, formatFor(architecture, quantization), expertParallel),
  );
}

/** Cached: the same layouts recur for every card, and each check visits all tensors. */
const known = new Kept<ModelArchitecture, string, readonly string[]>();

function problemsOf(
  architecture: ModelArchitecture,
  tensorParallel: number,
  pipelineParallel: number,
  format: WeightFormat,
  expertParallel: boolean,
): readonly string[] {
  const problems = new Set([
    ...pipelineProblems(architecture, pipelineParallel),
    ...(expertParallel ? expertProblems(architecture) : []),
    ...headProblems(architecture, tensorParallel),
    ...vocabularyProblems(architecture, tensorParallel),
    ...tensorProblems(architecture, tensorParallel, format, expertParallel),
  ]);
  return [...problems];
}

function expertProblems({ experts }: ModelArchitecture): readonly string[] {
  return experts === undefined
    ? ["expert parallelism needs a model with experts: leave enable-expert-parallel out"]
    : [];
}

function pipelineProblems(
  { kind, layers, family, singleStage }: ModelArchitecture,
  pipelineParallel: number,
): readonly string[] {
  if (kind === "encoder" && pipelineParallel > 1) {
    return [`PP ${pipelineParallel}: vLLM cuts no encoder into stages, use 1`];
  }
  if (singleStage && pipelineParallel > 1) {
    return [`PP ${pipelineParallel}: vLLM runs ${family} in one pipeline stage only`];
  }
  return pipelineParallel > layers
    ? [`PP ${pipelineParallel} exceeds the ${layers} layers: use at most ${layers} stages`]
    : [];
}

function headProblems(architecture: ModelArchitecture, tensorParallel: number): readonly string[] {
  const problems: string[] = [];
  for (const { mixer, parallelMixer } of architecture.layerSpecs) {
    problems.push(...[mixer, parallelMixer].flatMap((each) => groupingProblems(each, tensorParallel)));
    if (parallelMixer?.kind === "windowed-convolution" && tensorParallel > parallelMixer.kvHeads) {
      problems.push(
        `TP ${tensorParallel} exceeds the ${parallelMixer.kvHeads} KV heads that short convolutions are split by`,
      );
    }
    if (mixer.kind !== "attention" && mixer.kind !== "latent" && mixer.kind !== "compressed") {
      continue;
    }
    if (mixer.heads % tensorParallel !== 0) {
      problems.push(`TP ${tensorParallel} does not divide the ${mixer.heads} attention heads`);
    }
    if (mixer.kind === "compressed" && mixer.outputGroups % tensorParallel !== 0) {
      problems.push(`TP ${tensorParallel} does not divide the ${mixer.outputGroups} groups of the output projection`);
    }
    if (mixer.kind === "attention" && mixer.kvHeads % tensorParallel !== 0 && tensorParallel % mixer.kvHeads !== 0) {
      problems.push(`TP ${tensorParallel} neither divides nor is a multiple of the ${mixer.kvHeads} KV heads`);
    }
  }
  return problems;
}

/** Mamba 2: vLLM 0.19 to 0.33, mamba_mixer2.py. */
function groupingProblems(mixer: Mixer | undefined, tensorParallel: number): readonly string[] {
  if (mixer?.kind !== "recurrent" || mixer.grouping === undefined) {
    return [];
  }
  const { heads, groups } = mixer.grouping;
  return [
    ...(heads % tensorParallel === 0 ? [] : [`TP ${tensorParallel} does not divide the ${heads} Mamba heads`]),
    ...(groups === 1 || groups % tensorParallel === 0
      ? []
      : [`TP ${tensorParallel} does not divide the ${groups} groups of Mamba heads`]),
  ];
}

function vocabularyProblems({ vocabSize }: ModelArchitecture, tensorParallel: number): readonly string[] {
  const padded = paddedVocabulary(vocabSize);
  return padded % tensorParallel === 0
    ? []
    : [`TP ${tensorParallel} does not divide the vocabulary of ${vocabSize}, padded to ${padded}`];
}

function tensorProblems(
  architecture: ModelArchitecture,
  tensorParallel: number,
  format: WeightFormat,
  wholeExperts: boolean,
): readonly string[] {
  if (tensorParallel === 1) {
    return [];
  }
  return tensorInventory(architecture)
    .filter((tensor) => tensor.part === "text")
    .filter(({ kind }) => kind === "linear" || (kind === "expert" && !wholeExperts))
    .flatMap((tensor) => [
      ...widthProblems(tensor, tensorParallel),
      ...quantizationProblems(tensor, tensorParallel, format),
    ]);
}

function widthProblems(tensor: ModelTensor, tensorParallel: number): readonly string[] {
  const size = splitSize(tensor);
  if (size === undefined || size % tensorParallel === 0) {
    return [];
  }
  return [`TP ${tensorParallel} does not divide the width ${size} of ${shortName(tensor)}`];
}

/** Groups and blocks of quantized weights must not be split. */
function quantizationProblems(tensor: ModelTensor, tensorParallel: number, format: WeightFormat): readonly string[] {
  const scheme = schemeFor(format, asMatrix(tensor));
  const size = splitSize(tensor);
  if (scheme === undefined || size === undefined || size % tensorParallel !== 0) {
    return [];
  }
  const part = size / tensorParallel;
  const unit = indivisibleUnit(scheme.scale, tensor);
  if (unit === undefined || part % unit === 0) {
    return [];
  }
  return [
    `TP ${tensorParallel} splits the width ${size} of ${shortName(tensor)} into ${part}, no multiple of the ${unit} that ${scheme.name} weights share a scale over`,
  ];
}

/** MXFP4 kernels pad, so their groups of 32 may be split. */
function indivisibleUnit(
  scale: NonNullable<ReturnType<typeof schemeFor>>["scale"],
  { split }: ModelTensor,
): number | undefined {
  if (scale.per === "group") {
    return split.along === "columns" && scale.groupSize > 32 ? scale.groupSize : undefined;
  }
  if (scale.per !== "block") {
    return undefined;
  }
  return split.along === "columns" ? scale.blockColumns : scale.blockRows;
}

/**
 * The dimension split by tensor parallelism; KV heads are replicated, so they are checked as heads.
 */
function splitSize({ split, rows, columns }: ModelTensor): number | undefined {
  if (split.along === "columns") {
    return columns;
  }
  return split.along === "rows" && split.units === undefined ? rows : undefined;
}

/** Module name part common to all layers. */
function shortName({ module }: ModelTensor): string {
  return module.replace(/^model\.layers\.\d+\./, "").replace(".experts.0.", ".experts.");
}
