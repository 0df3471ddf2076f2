/** The options of `npm run model`, and reading a command line into them: every mistake at once, each with a way out. */
import { parseArgs } from "node:util";
import { ruleFor } from "../../catalog/engine-options";
import { memoryFlags } from "../../engines/vllm/flags";
import { vllmArgument, vllmOptions } from "../../engines/vllm/options";
import { suggest } from "../../stacks/config/core/problems";

/** Flags of vLLM that change memory, under their own names. */
const flagOptions = Object.fromEntries(
  memoryFlags.flatMap((name) => {
    const { kind, negation } = vllmArgument(name) ?? {};
    const type = kind === "switch" ? ("boolean" as const) : ("string" as const);
    const off = kind === "switch" ? [`no-${name}`, ...(negation === undefined ? [] : [negation])] : [];
    return [name, ...off].map((each) => [each, { type }]);
  }),
);

const ownOptions = {
  engine: { type: "string" },
  gpu: { type: "string" },
  shape: { type: "string" },
  "gpu-memory-gib": { type: "string" },
  "host-memory-gib": { type: "string" },
  tp: { type: "string" },
  pp: { type: "string" },
  utilization: { type: "string" },
  context: { type: "string" },
  concurrency: { type: "string" },
  "kv-dtype": { type: "string" },
  quantization: { type: "string" },
  "vllm-version": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Other spellings: words that people try, and vLLM's own names. */
const spellings: Readonly<Record<string, keyof typeof ownOptions>> = {
  card: "gpu",
  "gpu-model": "gpu",
  "tensor-parallel-size": "tp",
  "pipeline-parallel-size": "pp",
  "gpu-memory-utilization": "utilization",
  "max-model-len": "context",
  "kv-cache-dtype": "kv-dtype",
};

export const modelOptions = {
  ...ownOptions,
  ...flagOptions,
  ...Object.fromEntries(Object.entries(spellings).map(([name, own]) => [name, ownOptions[own]])),
};

type OptionName = keyof typeof ownOptions;

export interface CommandLine {
  readonly positionals: readonly string[];
  /** As they were typed, by canonical name; true where an option takes none or has none. */
  readonly values: Readonly<Partial<Record<OptionName, string | true>>>;
  /** The name that was typed for each. */
  readonly typed: Readonly<Partial<Record<OptionName, string>>>;
  /** Flags of vLLM by their own names. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly problems: readonly string[];
}

/** Never throws; values are checked by whoever knows them. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...argv],
    options: modelOptions,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Partial<Record<OptionName, string | true>> = {};
  const typed: Partial<Record<OptionName, string>> = {};
  const flags: Record<string, string | boolean> = {};
  const problems: string[] = [];
  const positionals: string[] = [];
  let unknownAt = -1;
  for (const token of tokens) {
    if (token.kind === "positional") {
      // The value of an option that does not exist is no model.
      if (token.index !== unknownAt + 1 || unknownAt < 0) positionals.push(token.value);
      continue;
    }
    if (token.kind !== "option") continue;
    const { name, value } = token;
    const wrong = formProblem(name, value);
    if (wrong !== undefined) {
      if (!Object.hasOwn(modelOptions, name) && value === undefined) unknownAt = token.index;
      problems.push(wrong);
    } else if (Object.hasOwn(flagOptions, name)) {
      if (Object.hasOwn(flags, name)) problems.push(`--${name} is given twice: write it once`);
      flags[name] = value ?? true;
    } else {
      const own = Object.hasOwn(spellings, name) ? spellings[name] : (name as OptionName);
      if (own === undefined) continue;
      if (typed[own] !== undefined) problems.push(twice(own, typed[own], name));
      typed[own] = name;
      values[own] = value ?? true;
    }
  }
  return { positionals, values, typed, flags, problems: [...new Set(problems)] };
}

function twice(own: OptionName, first: string, second: string): string {
  const both = first === second ? `--${first} is given twice` : `--${first} and --${second} say the same`;
  return `${both}: write one${own === "gpu" ? "; without a card, a table compares them all" : ""}`;
}

/** An option that does not exist, a value that is missing, or one too many. */
function formProblem(name: string, value: string | undefined): string | undefined {
  if (!Object.hasOwn(modelOptions, name)) return unknownOption(name);
  const { type } = modelOptions[name as keyof typeof modelOptions];
  if (type === "string") {
    return value === undefined || value.startsWith("--") ? `--${name} needs a value behind it` : undefined;
  }
  return value === undefined ? undefined : `--${name} takes no value: write it alone, or leave it out`;
}

/** What vLLM's flags are here, where the words of a configuration would not help. */
const answers: Readonly<Record<string, string>> = {
  "kv-cache-memory-bytes": "it overrides the share of GPU memory that is counted with: say --utilization",
  "num-gpu-blocks-override": "it overrides the KV cache that is counted: say --context and --concurrency",
  "swap-space": "it took host memory alone, which the V1 engine never used",
};

/** Flags of vLLM that this command has under no name are answered with what it makes of them. */
function unknownOption(name: string): string {
  if (Object.hasOwn(answers, name)) return `--${name} of vLLM is not taken: ${answers[name]}`;
  if (vllmArgument(name) !== undefined) {
    const uncounted = ruleFor(vllmOptions.arguments.memory, name);
    return uncounted === undefined
      ? `--${name} of vLLM changes nothing that is counted here: leave it out`
      : `--${name} of vLLM is not counted: ${uncounted}. Leave it out, and leave room for it`;
  }
  const known = Object.keys(modelOptions).map((option) => `--${option}`);
  return `--${name.slice(0, 60)} is no option: ${suggest(`--${name.slice(0, 60)}`, known, "--help lists them")}`;
}
