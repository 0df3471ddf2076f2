/** The only code with names of vLLM flags for memory. */

import type { EngineArgument } from "../../catalog/engine-options";
import { parseJson } from "../../names/json-text";
import { wholeNumber } from "../../names/whole-number";
import type { Dtype } from "../../planner/model/architecture";
import { isPlainObject } from "../../planner/model/config-source";
import { dtypeNamed } from "../../planner/model/format-names";
import type { ArgumentValue } from "../../planner/types";
import { kvFlagFault } from "./kv-connectors";
import { ENCODER_PARALLELISMS, MOE_BACKENDS, type MoeBackend, type VllmOptions } from "./memory/options";
import { vllmArgument, vllmOptions } from "./options";

export interface FlagProblem {
  /** Without dashes. */
  readonly flag: string;
  readonly value: ArgumentValue;
  readonly allowed: string;
}

export interface VllmFlags {
  readonly options: VllmOptions;
  /** Given names of flags whose values the estimate includes. */
  readonly counted: readonly string[];
  readonly problems: readonly FlagProblem[];
}

/** Undefined options: valid, but not included. */
type Reading = { readonly options: VllmOptions | undefined } | { readonly allowed: string };

const readers: Readonly<Record<string, (value: ArgumentValue) => Reading>> = {
  dtype: (value) => {
    const dtype = dtypeOfFlag(value);
    return dtype === undefined
      ? { allowed: "one of auto, half, float16, bfloat16, float, float32" }
      : { options: dtype === "auto" ? {} : { dtype } };
  },
  "max-num-seqs": count((maxNumSeqs) => ({ maxNumSeqs })),
  "max-num-batched-tokens": count((maxNumBatchedTokens) => ({ maxNumBatchedTokens })),
  "enable-chunked-prefill": flag((chunkedPrefill) => ({ chunkedPrefill })),
  "enforce-eager": flag((enforceEager) => ({ enforceEager })),
  "enable-expert-parallel": flag((expertParallel) => ({ expertParallel })),
  "language-model-only": flag((languageModelOnly) => ({ languageModelOnly })),
  "limit-mm-per-prompt": readMediaLimits,
  "mm-encoder-tp-mode": (value) => {
    const mode = ENCODER_PARALLELISMS.find((each) => each === value);
    return mode === undefined
      ? { allowed: `one of ${ENCODER_PARALLELISMS.join(", ")}` }
      : { options: { encoderParallelism: mode } };
  },
  "moe-backend": (value) => {
    const moeBackend: MoeBackend | undefined = MOE_BACKENDS.find((each) => each === value);
    if (typeof value !== "string" || value === "") {
      return { allowed: `a back end, for example ${MOE_BACKENDS.join(", ")}` };
    }
    return { options: value === "auto" ? {} : moeBackend && { moeBackend } };
  },
};

export const memoryFlags: readonly string[] = Object.keys(readers);

/** Flags that override assumptions of the estimate, or that users mistake for memory settings. */
export const OVERRIDING_FLAGS: Readonly<Record<string, string>> = {
  "kv-cache-memory-bytes": "it overrides the share of GPU memory that is counted with: say --utilization",
  "num-gpu-blocks-override": "it overrides the KV cache that is counted: say --context and --concurrency",
  "swap-space": "it took host memory alone, which the V1 engine never used",
};

/**
 * @param args flags by name without dashes; those without memory effect are ignored. Supports
 *   negations (`no-enforce-eager`) and aliases.
 */
export function readVllmFlags(args: Readonly<Record<string, ArgumentValue>> = {}): VllmFlags {
  let options: VllmOptions = {};
  const counted: string[] = [];
  const problems: FlagProblem[] = [];
  for (const [given, value] of Object.entries(args)) {
    const { name, negated } = canonical(given);
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined) {
      const allowed = kvFlagFault(name, value);
      problems.push(...(allowed === undefined ? [] : [{ flag: given, value, allowed }]));
      continue;
    }
    const reading = reader(negated && typeof value === "boolean" ? !value : value);
    if ("allowed" in reading) {
      problems.push({ flag: given, value, allowed: reading.allowed });
    } else if (reading.options !== undefined) {
      options = { ...options, ...reading.options };
      counted.push(given);
    }
  }
  return { options, counted, problems };
}

/** CUDA graph settings of `--compilation-config`; the rest is not included. */
export function graphsOf(args: Readonly<Record<string, ArgumentValue>> = {}): Pick<VllmOptions, "graphs"> {
  const value = args["compilation-config"];
  const settings = typeof value === "string" ? parseJson(value) : value;
  const mode = isPlainObject(settings) ? settings.cudagraph_mode : undefined;
  const name = typeof mode === "string" ? mode.toLowerCase() : "";
  return name === "none" || name === "piecewise" ? { graphs: name } : {};
}

/** Table name of a flag in any spelling. */
function canonical(given: string): { readonly name: string; readonly negated: boolean } {
  const off = given.startsWith("no-") ? vllmArgument(given.slice(3)) : undefined;
  const argument = vllmArgument(given) ?? byOtherName.get(given) ?? off;
  return {
    name: argument?.name ?? given,
    negated: argument !== undefined && (argument.negation === given || argument === off),
  };
}

const byOtherName: ReadonlyMap<string, EngineArgument> = new Map(
  vllmOptions.options.arguments.flatMap((argument) =>
    [argument.negation, ...(argument.aliases ?? [])].flatMap((name) => (name === undefined ? [] : [[name, argument]])),
  ),
);

/** `--dtype` in vLLM's terms; "auto" if the engine chooses. */
export function dtypeOfFlag(value: ArgumentValue | undefined): Dtype | "auto" | undefined {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (name === "auto") {
    return "auto";
  }
  if (name === "float") {
    return "float32";
  }
  return ["half", "float16", "bfloat16", "float32"].includes(name) ? dtypeNamed(name) : undefined;
}

function flag(option: (value: boolean) => VllmOptions) {
  return (value: ArgumentValue): Reading =>
    typeof value === "boolean" ? { options: option(value) } : { allowed: "true or false" };
}

function count(option: (value: number) => VllmOptions) {
  return (value: ArgumentValue): Reading => {
    const number = wholeNumber(value);
    return number === undefined
      ? { allowed: "a whole number above 0, such as 8192 or 8k" }
      : { options: option(number) };
  };
}

/** Mapping of modalities to counts, or to mappings with a count. */
function readMediaLimits(value: ArgumentValue): Reading {
  const allowed = 'counts by modality, for example {"image": 0, "video": 0}';
  const limits = typeof value === "string" ? parseJson(value) : value;
  if (!isPlainObject(limits)) {
    return { allowed };
  }
  const entries = Object.entries(limits).map(
    ([modality, limit]) => [modality, isPlainObject(limit) ? (limit.count ?? Number.NaN) : limit] as const,
  );
  const counts = entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]));
  if (counts.length < entries.length || counts.some(([, limit]) => limit < 0)) {
    return { allowed };
  }
  const mediaPerPrompt: Record<string, number> = Object.fromEntries(counts);
  const leavesOutTower = mediaPerPrompt.image === 0 && mediaPerPrompt.video === 0;
  return { options: leavesOutTower ? { mediaPerPrompt } : undefined };
}
