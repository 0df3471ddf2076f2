/** Requests of a model that its vLLM release lacks. */
import { type ReleaseSpan, spanText } from "../../catalog/engine-releases";
import { keepsStates } from "../../planner/model/architecture";
import { type Card, type CardRefusal, OTHER_CARDS } from "../card";
import { isPooling, type ServedModel } from "../served-model";
import type { SettingsOutcome } from "../settings";
import { loraRoom } from "./adapters";
import { classFinding } from "./model-class";
import { featureGap, type ReleaseGap, type VllmFeature, valueGap } from "./releases";
import type { VllmOwnSettings } from "./settings";
import { dtypeAskedFor, vllmWeights } from "./weight-format";

/** A model on its vLLM release, with block settings outside the model. */
export interface AskedOfRelease {
  readonly model: ServedModel;
  readonly own: VllmOwnSettings;
  readonly isReasoningWithTools: boolean;
}

/** For any card and layout. */
export function releaseGaps(asked: AskedOfRelease): ReleaseGap[] {
  const { model } = asked;
  return [
    ...featuresOf(asked).flatMap((feature) => featureGap(feature, model.engineVersion) ?? []),
    ...writtenValues(model).flatMap(([argument, value]) => valueGap(argument, value, model.engineVersion) ?? []),
  ];
}

function featuresOf({ model, own, isReasoningWithTools }: AskedOfRelease): VllmFeature[] {
  const { architecture, args = {} } = model;
  const asked: Readonly<Partial<Record<VllmFeature, boolean>>> = {
    pooling: isPooling(model),
    adapters: loraRoom(model) !== undefined,
    recurrent: keepsStates(architecture),
    float32: dtypeAskedFor(model) === "float32",
    vocabulary: architecture.family === "gpt_oss",
    rayImage: own.distributedExecutor === "ray",
    prefillDecode: own.prefillDecode !== undefined,
    reasoningWithTools: isReasoningWithTools,
    cpuOffload: Number(args["cpu-offload-gb"] ?? 0) > 0,
    kvTransfer: args["kv-transfer-config"] !== undefined,
    kvOffloading: args["kv-offloading-size"] !== undefined,
  };
  return (Object.keys(asked) as VllmFeature[]).filter((feature) => asked[feature]);
}

/** Flags of the platform whose values differ between releases. */
function writtenValues(model: ServedModel): (readonly [argument: string, value: string])[] {
  const answer = vllmWeights(model);
  const quantization = "loadAs" in answer ? answer.loadAs.quantization : undefined;
  const room = loraRoom(model);
  return [
    ...(model.kvCacheDtype === "auto" ? [] : [["kv-cache-dtype", model.kvCacheDtype] as const]),
    ...(quantization === undefined ? [] : [["quantization", quantization] as const]),
    ...(room === undefined ? [] : [["max-lora-rank", String(room.maxRank)] as const]),
  ];
}

/** Same as plan problems, for a model whose `engineVersion` is vLLM's. */
export function releaseProblems(asked: AskedOfRelease): SettingsOutcome["problems"] {
  const { model, own } = asked;
  const executor = own.distributedExecutor === "ray" ? " with vllm.distributedExecutor: ray" : "";
  return releaseGaps(asked).map((gap) => ({
    rule: "engine-release",
    message: `vLLM ${model.engineVersion}${executor}: ${gap.reason}. To fix it: ${fixOf(gap, own)}.`,
  }));
}

/**
 * Support of the release for the model's class, as a problem or advice. The model's engine version
 * is vLLM's.
 *
 * @param prefix what runs that vLLM: `vLLM 0.8.0`.
 * @param fix for releases that have the class; undefined if none has.
 */
export function classOutcome(
  model: ServedModel,
  prefix: string,
  fix: (span: ReleaseSpan) => string,
): Pick<SettingsOutcome, "problems" | "advice"> {
  const found = classFinding(model);
  if (found === undefined) {
    return { problems: [] };
  }
  const { verdict, reason, span } = found;
  if (verdict === "doubtful") {
    const message = `${model.name}: ${reason}. Try it before you count on it.`;
    return { problems: [], advice: [{ rule: "transformers-class", message }] };
  }
  const mend = span === undefined ? "write engine: external for a server that has the model" : fix(span);
  return { problems: [{ rule: "engine-release", message: `${prefix}: ${reason}. To fix it: ${mend}.` }] };
}

/** Releases with a model's class, in the user's notation. */
export function classFix({ since, until }: ReleaseSpan, { distributedExecutor }: VllmOwnSettings): string {
  const isBeyondRay =
    distributedExecutor === "ray" && since !== undefined && featureGap("rayImage", since) !== undefined;
  const executor = isBeyondRay ? "vllm.distributedExecutor: native, and " : "";
  if (until === undefined) {
    return isBeyondRay ? `write ${executor}no engineVersion` : newerRelease(since ?? "");
  }
  const older = since === until ? "" : " or older";
  const oldest = since === undefined || since === until ? "" : `, "${since}" at the least`;
  return `write ${executor}engineVersion: "${until}"${older}${oldest}`;
}

function fixOf({ span: { since, until } }: ReleaseGap, { distributedExecutor }: VllmOwnSettings): string {
  if (distributedExecutor === "ray") {
    return until === undefined
      ? "write vllm.distributedExecutor: native, and no engineVersion"
      : `remove engineVersion, take ${until} or older, or write vllm.distributedExecutor: native`;
  }
  return since === undefined ? `write engineVersion: "${until}" or older` : newerRelease(since);
}

function newerRelease(since: string): string {
  return `write engineVersion: "${since}" or newer, or remove it`;
}

/**
 * Features for a card that the release lacks.
 *
 * @param serving releases of a span that serve the model on the card; others are no fix.
 */
export function cardGaps(
  { name, engineVersion, kvCacheDtype }: ServedModel,
  card: Card,
  serving: (span: ReleaseSpan) => ReleaseSpan | undefined,
): CardRefusal[] {
  const { computeCapability, gfx } = card;
  const isNvidia = gfx === undefined;
  const asked: readonly (readonly [VllmFeature, boolean])[] = [
    ["amdImage", !isNvidia],
    ["beforeAmpere", isNvidia && (computeCapability ?? 8) < 8],
    ["fp8Cache", isNvidia && kvCacheDtype === "fp8"],
  ];
  return asked.flatMap(([feature, isAsked]) =>
    isAsked ? refusalOf(name, featureGap(feature, engineVersion, computeCapability), serving) : [],
  );
}

export function cpuGaps({ name, engineVersion }: Pick<ServedModel, "name" | "engineVersion">): CardRefusal[] {
  return refusalOf(name, featureGap("cpuCache", engineVersion));
}

function refusalOf(
  name: string,
  gap: ReleaseGap | undefined,
  serving: (span: ReleaseSpan) => ReleaseSpan | undefined = (span) => span,
): CardRefusal[] {
  if (gap === undefined) {
    return [];
  }
  const { since } = gap.span;
  if (since === undefined) {
    return [{ reason: gap.reason, remedy: "take an older release" }];
  }
  const span = serving({ since });
  return span?.since === undefined
    ? [{ reason: `${gap.reason}, and none of those serves the model on this card`, remedy: OTHER_CARDS }]
    : [
        {
          reason:
            span.since === since ? gap.reason : `${gap.reason}; of those, ${spanText(span)} serve it on this card`,
          remedy: `models.${name}: ${releaseWithin(span.since, span.until)}`,
        },
      ];
}

function releaseWithin(since: string, until: string | undefined): string {
  return until === undefined ? newerRelease(since) : `write an engineVersion from "${since}" to "${until}"`;
}

/** Why replicas cannot span nodes in its release; undefined if they can. */
export function nodesGap(
  { name, engineVersion }: Pick<ServedModel, "name" | "engineVersion">,
  { distributedExecutor }: VllmOwnSettings,
): CardRefusal | undefined {
  const gap = distributedExecutor === "ray" ? undefined : featureGap("nodes", engineVersion);
  return (
    gap && {
      reason: gap.reason,
      remedy: `write models.${name}.engineVersion: "${gap.span.since}" or newer, or vllm.distributedExecutor: ray`,
    }
  );
}

export function stagesGap(version: string | undefined, pipelineParallel: number): string[] {
  const gap = version === undefined || pipelineParallel === 1 ? undefined : featureGap("pipeline", version);
  return gap === undefined ? [] : [`PP ${pipelineParallel}: ${gap.reason}`];
}
