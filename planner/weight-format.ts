/** Which weights an engine makes of a checkpoint, and what it must be told of them. */
import { engineOf } from "../engines";
import type { WeightsAnswer } from "../engines/weights";
import type { ModelRequest } from "./request";
import type { CapacityProblem, LoadAs } from "./types";

/** Without an answer of its own an engine takes files that were written in the format that is asked for. */
function answerFor(model: ModelRequest): WeightsAnswer {
  return engineOf(model.engine).weights?.(model) ?? { loadAs: {}, files: model.quantization };
}

/** What the engine is told of the weights; undefined when it finds out for itself. */
export function loadAs(model: ModelRequest): LoadAs | undefined {
  const answer = answerFor(model);
  return "loadAs" in answer && Object.keys(answer.loadAs).length > 0 ? answer.loadAs : undefined;
}

/**
 * The quantization that the files on disk have; undefined: the checkpoint's own. What an engine makes of them when it
 * loads them needs less (or more) memory, and neither less disk nor a shorter download.
 */
export function fileFormat(model: ModelRequest): string | undefined {
  const answer = answerFor(model);
  return "files" in answer ? answer.files : undefined;
}

/** What nobody could check of the format. */
export function weightFormatNotes(model: ModelRequest): string[] {
  const answer = answerFor(model);
  return "note" in answer && answer.note !== undefined ? [answer.note] : [];
}

/** The checkpoint cannot be served in the format that is asked for. */
export function weightFormatProblem(model: ModelRequest): CapacityProblem | undefined {
  const answer = answerFor(model);
  if (!("refusal" in answer)) {
    return undefined;
  }
  const subject = `models.${model.name}`;
  return { severity: "mandatory", rule: "weight-format", subject, message: answer.refusal };
}

/** Why the engine does not start with this format, whatever the checkpoint. */
export function weightFormatRefusal(model: ModelRequest): string | undefined {
  const answer = answerFor(model);
  return "refusal" in answer && answer.ofEngine ? answer.refusal : undefined;
}
