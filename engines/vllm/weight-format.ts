/** Which weights vLLM can make of a checkpoint, and what it must be told of them. */

import type { Dtype, ModelArchitecture } from "../../planner/model/architecture";
import { dtypeNamed, formatKey } from "../../planner/model/format-names";
import type { ModelRequest } from "../../planner/request";
import type { CapacityProblem, LoadAs } from "../../planner/types";
import { dtypeOfFlag } from "./flags";
import { checkpointMethods, noFloat16, weightFormatsVersion, weightKindNamed, weightKindOf } from "./weight-formats";

type Answer =
  | {
      readonly loadAs: LoadAs;
      /** Format of the files that are copied, where it is another than the configuration file's own. */
      readonly files?: string | undefined;
      readonly note?: string;
    }
  | {
      readonly refusal: string;
      /** No other checkpoint would help: the engine itself refuses. */
      readonly ofEngine?: true;
    };

/**
 * What the engine is told of the weights; undefined when it finds out for itself. vLLM reads the format of a quantized
 * checkpoint from its config.json, and refuses a `--quantization` that differs.
 */
export function loadAs(model: ModelRequest): LoadAs | undefined {
  const answer = answerFor(model);
  return "loadAs" in answer && Object.keys(answer.loadAs).length > 0 ? answer.loadAs : undefined;
}

/**
 * The quantization that the files on disk have; undefined: the checkpoint's own. What vLLM makes of them when it loads
 * them needs less (or more) memory, and neither less disk nor a shorter download.
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

/** The number type that the configuration asks for, as a quantization or as vLLM's own flag; undefined: vLLM chooses. */
export function dtypeAskedFor({ quantization, args }: ModelRequest): Dtype | undefined {
  const flag = dtypeOfFlag(args?.dtype);
  return flag === undefined || flag === "auto" ? dtypeNamed(quantization ?? "") : flag;
}

function answerFor(model: ModelRequest): Answer {
  const { architecture, quantization } = model;
  if (model.engine !== "vllm") {
    // Ollama pulls a build that was written in its format.
    return { loadAs: {}, files: quantization };
  }
  if (dtypeAskedFor(model) === "float16" && noFloat16.includes(architecture.family)) {
    return {
      refusal: `${model.name}: vLLM refuses float16 for models of the family ${architecture.family}, which overflow in it. To fix it: leave their number type to vLLM, or write quantization: bf16.`,
      ofEngine: true,
    };
  }
  const dtype = quantization === undefined ? undefined : dtypeNamed(quantization);
  if (quantization === undefined || repeatsTheCheckpoint(architecture, quantization)) {
    return ownFormat(model);
  }
  return dtype === undefined ? namedFormat(model, quantization) : numberType(model, quantization, dtype);
}

/** The checkpoint as it is: no flag, but where its method is on the way out. */
function ownFormat({ name, architecture, engineVersion }: ModelRequest): Answer {
  const { rules, method } = architecture.quantization;
  const removed = rules.flatMap(({ scheme }) => weightKindOf(scheme.name)?.removed ?? [])[0];
  if (removed !== undefined && engineVersion === weightFormatsVersion) {
    return {
      refusal: `${name}: its config.json declares ${architecture.quantization.name} weights, and ${removed}. To fix it: give source and config of a checkpoint in another format.`,
      ofEngine: true,
    };
  }
  const flag = checkpointMethods.find((each) => each.method === method)?.flag;
  return { loadAs: flag === undefined ? {} : { flag } };
}

function numberType({ name, architecture }: ModelRequest, quantization: string, dtype: Dtype): Answer {
  if (architecture.quantization.rules.length > 0) {
    return {
      refusal: `${name}: quantization ${quantization} asks for plain numbers, and ${declares(architecture)}: vLLM does not unpack it. To fix it: remove quantization, or give source and config of the checkpoint before it was quantized.`,
    };
  }
  return { loadAs: dtype === architecture.checkpointDtype ? {} : { dtype } };
}

function namedFormat({ name, architecture, engineVersion, ...model }: ModelRequest, quantization: string): Answer {
  const key = formatKey(quantization);
  const kind = weightKindNamed(key);
  if (kind === undefined) {
    return { loadAs: {} };
  }
  const isPlain = architecture.quantization.rules.length === 0;
  if (isPlain && kind.madeAtLoad.includes(key)) {
    return { loadAs: { quantization: key } };
  }
  if (kind.removed !== undefined) {
    return engineVersion === weightFormatsVersion
      ? {
          refusal: `${name}: quantization ${quantization} cannot be served: ${kind.removed}. ${instead(isPlain)}`,
          ofEngine: true,
        }
      : { loadAs: { quantization: key } };
  }
  if (model.configIsOfAnotherSource) {
    const note = `the config.json of its source must declare ${key} weights: that file was not read`;
    return { loadAs: {}, files: key, note };
  }
  const why = isPlain
    ? `quantization ${quantization} needs a checkpoint in that format, and its config.json declares none: the weights are ${architecture.quantization.name}`
    : `quantization ${quantization} does not fit its checkpoint: ${declares(architecture)}, and vLLM does not convert one into the other`;
  return { refusal: `${name}: ${why}. ${instead(isPlain)}` };
}

function instead(isPlain: boolean): string {
  return isPlain
    ? "To fix it: give source and config of such a checkpoint, write quantization: fp8 (vLLM makes that when it loads the weights), or remove quantization."
    : "To fix it: remove quantization to serve the checkpoint as it is, or give source and config of another one.";
}

function declares({ quantization: { name, method } }: ModelArchitecture): string {
  return `its config.json declares ${name} weights (quant_method ${method})`;
}

/** Names such as "auto", and those of the checkpoint's own family (fp8 on an fp8 checkpoint). */
function repeatsTheCheckpoint({ quantization: own }: ModelArchitecture, name: string): boolean {
  const family = weightKindNamed(formatKey(name))?.weights.split("-")[0];
  return (
    family !== undefined && own.rules.some(({ scheme }) => weightKindOf(scheme.name)?.weights.split("-")[0] === family)
  );
}
