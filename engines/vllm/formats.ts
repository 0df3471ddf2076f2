import { formatNames, isGgufName } from "../../planner/model/format-names";
import type { FormatNames } from "../engine";
import { lastReleaseWith } from "./card-rules";
import { type WeightKind, weightKindNamed, weightKinds } from "./weight-formats";

/**
 * GGUF file types are llama.cpp's. vLLM creates some of the others at load, and reads most only
 * from matching checkpoints.
 */
const names = formatNames.filter((format) => !isGgufName(format));
const made = weightKinds.flatMap(({ madeAtLoad }) => madeAtLoad);
const declared = weightKinds.flatMap((kind) => (isGone(kind) ? [] : kind.declared));
const removed = names.filter((format) => isGone(weightKindNamed(format)));
const plain = names.filter((format) => weightKindNamed(format) === undefined);

function isGone(kind: WeightKind | undefined): boolean {
  return kind !== undefined && lastReleaseWith(kind.weights) !== undefined;
}

export const vllmFormats: FormatNames = {
  names,
  removed,
  takes: (name) => !isGgufName(name),
  allowed: `a weight format of vllm: ${[...made, ...plain].join(", ")}; or, where source is a checkpoint in that format, ${declared.join(", ")}`,
};
