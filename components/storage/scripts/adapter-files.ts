/** What of a LoRA adapter an engine needs, and which adapters it takes (lora/peft_helper.py of vLLM 0.33.0). */
import { FinalError } from "./retry.ts";

export const ADAPTER_CONFIG = "adapter_config.json";
export const ADAPTER_WEIGHTS = "adapter_model.safetensors";

/** Published ones have some hundred lines. */
const LARGEST_CONFIG_BYTES = 2 ** 20;

/** What the plan has room for. */
export interface AdapterLimits {
  readonly maxRank: number;
  /** Ranks that there could be room for, ascending. */
  readonly ranks: readonly number[];
  /** Key of the configuration that sets the largest rank. */
  readonly rankKey: string;
  /** Bytes of the weights of one adapter: of the largest rank, on every matrix. */
  readonly maxBytes: number;
}

export interface ListedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * The files to copy.
 *
 * @param path of the adapter in the configuration.
 * @throws FinalError when one is missing, or larger than the plan has room for.
 */
export function adapterFiles(
  path: string,
  listed: readonly ListedFile[],
  { maxRank, maxBytes }: AdapterLimits,
): string[] {
  const limits = { [ADAPTER_CONFIG]: LARGEST_CONFIG_BYTES, [ADAPTER_WEIGHTS]: maxBytes };
  for (const [name, limit] of Object.entries(limits)) {
    const file = listed.find((each) => each.path === name);
    if (file === undefined) {
      const some = listed.slice(0, 10).map((each) => each.path);
      throw new FinalError(
        `${path}: there is no ${name}, only: ${some.join(", ")}. Adapters are read in PEFT's form, as safetensors`,
      );
    }
    if (file.size > limit) {
      throw new FinalError(
        `${path}: ${name} has ${file.size} bytes; allowed are ${limit}, what an adapter of rank ${maxRank} can have on this model`,
      );
    }
  }
  return Object.keys(limits);
}

/**
 * Whether an engine that was started with these limits loads the adapter.
 *
 * @param path of the adapter in the configuration.
 * @param text of its adapter_config.json.
 * @throws FinalError with every reason why it does not.
 */
export function checkAdapterConfig(path: string, text: string, limits: AdapterLimits): void {
  const config = parsed(path, text);
  const problems = [...kindProblems(config), ...rankProblems(config, limits)];
  if (problems.length > 0) {
    throw new FinalError(`${path}: ${ADAPTER_CONFIG} says ${problems.join("; and ")}`);
  }
}

function parsed(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // said below
  }
  throw new FinalError(`${path}: ${ADAPTER_CONFIG} is no JSON object`);
}

/** Initializations that change the adapter's own weights alone; others change the model's. */
const OWN_INITIALIZATIONS = ["gaussian", "eva", "orthogonal", "mica", "lora_ga"];

function kindProblems(config: Readonly<Record<string, unknown>>): string[] {
  const { peft_type: kind, bias = "none", init_lora_weights: init } = config;
  const whole = Array.isArray(config.modules_to_save) ? config.modules_to_save : [];
  const foreign = typeof init === "string" && !OWN_INITIALIZATIONS.includes(init.toLowerCase());
  const unsupported = [
    "use_dora",
    "lora_bias",
    "alora_invocation_tokens",
    "layer_replication",
    "use_bdlora",
    "use_qalora",
  ];
  return [
    ...(kind === "LORA" ? [] : [`peft_type ${shown(kind)}, allowed: "LORA"`]),
    ...(bias === "none" ? [] : [`bias ${shown(bias)}, allowed: "none"`]),
    ...(foreign
      ? [`init_lora_weights ${shown(init)}, which changes the model's own weights: convert it with PEFT`]
      : []),
    ...(whole.length === 0 ? [] : [`modules_to_save ${shown(whole)}, whole layers, allowed: none`]),
    ...unsupported.filter((key) => isSet(config[key])).map((key) => `${key}, which the engine does not serve`),
  ];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}

function rankProblems(config: Readonly<Record<string, unknown>>, { maxRank, ranks, rankKey }: AdapterLimits): string[] {
  const pattern = config.rank_pattern ?? {};
  const found = [config.r, ...(typeof pattern === "object" ? Object.values(pattern) : [pattern])];
  const wrong = found.filter((rank) => typeof rank !== "number" || !Number.isInteger(rank) || rank < 1);
  if (wrong.length > 0) {
    return [`rank ${shown(wrong[0])}, allowed: a whole number above 0`];
  }
  const rank = found.reduce<number>((largest, each) => Math.max(largest, Number(each)), 0);
  if (rank <= maxRank) {
    return [];
  }
  const enough = ranks.find((each) => each >= rank);
  const fix =
    enough === undefined
      ? "train it with a smaller rank"
      : `write ${rankKey}: ${enough}, or the adapter's rank next to its source`;
  return [`rank ${rank}, allowed: at most ${maxRank} (--max-lora-rank); fix: ${fix}`];
}

/** Short, on one line: it comes from outside. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}
