/** Weights that an engine loads from a checkpoint, and its settings for them. */
import { engineOf } from "../engines";
import type { WeightsAnswer } from "../engines/weights";
import type { ModelRequest } from "./request";
import type { CapacityProblem, LoadAs } from "./types";

/** Default: files must be in the requested format. */
function answerFor(model: ModelRequest): WeightsAnswer {
  return engineOf(model.engine).weights?.(model) ?? { loadAs: {}, files: model.quantization };
}

/** Undefined when the engine detects the format. */
export function loadAs(model: ModelRequest): LoadAs | undefined {
  const answer = answerFor(model);
  return "loadAs" in answer && Object.keys(answer.loadAs).length > 0 ? answer.loadAs : undefined;
}

/**
 * Quantization of the files; undefined: the checkpoint's own. Conversion at load time changes
 * memory, not disk or download.
 */
export function fileFormat(model: ModelRequest): string | undefined {
  const answer = answerFor(model);
  return "files" in answer ? answer.files : undefined;
}

export function weightFormatNotes(model: ModelRequest): string[] {
  const answer = answerFor(model);
  return "note" in answer && answer.note !== undefined ? [answer.note] : [];
}

export function weightFormatProblem(model: ModelRequest): CapacityProblem | undefined {
  const answer = answerFor(model);
  if (!("refusal" in answer)) {
    return undefined;
  }
  const subject = `models.${model.name}`;
  return { severity: "mandatory", rule: "weight-format", subject, message: answer.refusal };
}

/** Why the engine refuses this format for any checkpoint. */
export function weightFormatRefusal(model: ModelRequest): string | undefined {
  const answer = answerFor(model);
  return "refusal" in answer && answer.ofEngine ? answer.refusal : undefined;
}
