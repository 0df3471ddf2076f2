/** Weight formats that vLLM can load from a checkpoint, with settings. */

import type { Dtype, ModelArchitecture } from "../../planner/model/architecture";
import { dtypeNamed, formatKey } from "../../planner/model/format-names";
import { kindsOf, statedKind } from "../../planner/model/weights-name";
import type { ServedModel } from "../served-model";
import { originOf } from "../sources";
import type { WeightsAnswer } from "../weights";
import { isGoneIn, lastReleaseWith } from "./card-rules";
import { dtypeOfFlag } from "./flags";
import { servedCacheDtype } from "./memory/served-model";
import { checkpointMethods, noFloat16, weightKindNamed, weightKindOf } from "./weight-formats";

/** Requested number type, from a quantization or vLLM's flag; undefined: vLLM chooses. */
export function dtypeAskedFor({ quantization, args }: ServedModel): Dtype | undefined {
  const flag = dtypeOfFlag(args?.dtype);
  return flag === undefined || flag === "auto" ? dtypeNamed(quantization ?? "") : flag;
}

/**
 * vLLM reads a quantized checkpoint's format from its config.json, and refuses a different
 * `--quantization`. Files keep the checkpoint's format, whatever is created at load.
 */
export function vllmWeights(model: ServedModel): WeightsAnswer {
  const { architecture, quantization } = model;
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

/** FP8 weights or cache that vLLM creates at load; the plan knows the supporting cards. */
export function eightBits(model: ServedModel): Partial<Pick<ServedModel, "quantization" | "kvCacheDtype">> {
  const { architecture, quantization, kvCacheDtype, engineVersion: version } = model;
  const isPlain = quantization === undefined && architecture.quantization.rules.length === 0;
  const isCached = servedCacheDtype({ architecture, engine: { version }, kvCacheDtype }) === "fp8";
  return { ...(isPlain && { quantization: "fp8" }), ...(!isCached && { kvCacheDtype: "fp8" }) };
}

/** The unchanged checkpoint: no flag, except for a deprecated method. */
function ownFormat({ name, architecture, engineVersion }: ServedModel): WeightsAnswer {
  const { rules, method } = architecture.quantization;
  if (rules.some(({ scheme }) => isGoneIn(weightKindOf(scheme.name)?.weights, engineVersion))) {
    return {
      refusal: `${name}: its config.json declares ${architecture.quantization.name} weights, and ${gone(engineVersion)}. To fix it: give source and config of a checkpoint in another format.`,
      ofEngine: true,
    };
  }
  const flag = checkpointMethods.find((each) => each.method === method)?.flag;
  return { loadAs: flag === undefined ? {} : { flag } };
}

function numberType({ name, architecture }: ServedModel, quantization: string, dtype: Dtype): WeightsAnswer {
  if (architecture.quantization.rules.length > 0) {
    return {
      refusal: `${name}: quantization ${quantization} asks for plain numbers, and ${declares(architecture)}: vLLM does not unpack it. To fix it: remove quantization, or give source and config of the checkpoint before it was quantized.`,
    };
  }
  return { loadAs: dtype === architecture.checkpointDtype ? {} : { dtype } };
}

function namedFormat(
  { name, architecture, engineVersion, ...model }: ServedModel,
  quantization: string,
): WeightsAnswer {
  const key = formatKey(quantization);
  const kind = weightKindNamed(key);
  if (kind === undefined) {
    return { loadAs: {} };
  }
  const isPlain = architecture.quantization.rules.length === 0;
  const unread: WeightsAnswer = {
    loadAs: {},
    files: key,
    note: `the config.json of its source must declare ${key} weights: that file was not read`,
  };
  if (isPlain && kind.madeAtLoad.includes(key)) {
    // Weights already in the format need no flag: vLLM refuses one that differs from their
    // config.json.
    const isWritten = kindsOf(architecture, key).includes(statedKind(originOf(model.source).name)?.kind ?? "plain");
    return isWritten ? unread : { loadAs: { quantization: key } };
  }
  if (lastReleaseWith(kind.weights) !== undefined) {
    return isGoneIn(kind.weights, engineVersion)
      ? {
          refusal: `${name}: quantization ${quantization} cannot be served: ${gone(engineVersion)}. ${instead(isPlain)}`,
          ofEngine: true,
        }
      : { loadAs: { quantization: key } };
  }
  if (model.configIsOfAnotherSource) {
    return unread;
  }
  const why = isPlain
    ? `quantization ${quantization} needs a checkpoint in that format, and its config.json declares none: the weights are ${architecture.quantization.name}`
    : `quantization ${quantization} does not fit its checkpoint: ${declares(architecture)}, and vLLM does not convert one into the other`;
  return { refusal: `${name}: ${why}. ${instead(isPlain)}` };
}

function gone(version: string): string {
  return `vLLM ${version} has no method of that name any more`;
}

function instead(isPlain: boolean): string {
  return isPlain
    ? "To fix it: give source and config of such a checkpoint, write quantization: fp8 (vLLM makes that when it loads the weights), or remove quantization."
    : "To fix it: remove quantization to serve the checkpoint as it is, or give source and config of another one.";
}

function declares({ quantization: { name, method } }: ModelArchitecture): string {
  return `its config.json declares ${name} weights (quant_method ${method})`;
}

/** Names such as "auto", or of the checkpoint's family (fp8 on an fp8 checkpoint). */
function repeatsTheCheckpoint({ quantization: own }: ModelArchitecture, name: string): boolean {
  const family = weightKindNamed(formatKey(name))?.weights.split("-")[0];
  return (
    family !== undefined && own.rules.some(({ scheme }) => weightKindOf(scheme.name)?.weights.split("-")[0] === family)
  );
}
