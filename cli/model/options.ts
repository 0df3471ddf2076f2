/** Options of `npm run model`, and parsing: all mistakes at once, each with a fix. */
import { parseArgs } from "node:util";
import { ruleFor } from "../../catalog/engine-options";
import { type Engine, type EngineName, engineNames, engineOf, type Processor } from "../../engines";
import { suggest } from "../../stacks/config/core/problems";

type FlagOptions = Readonly<Record<string, { readonly type: "boolean" | "string" }>>;

/** An engine's flags that affect memory, with their negations. */
function flagOptionsOf(name: EngineName): FlagOptions {
  const { memoryFlags = [], options } = engineOf(name);
  return Object.fromEntries(
    memoryFlags.flatMap((flag) => {
      const { kind, negation } = options.argumentNamed.get(flag) ?? {};
      const type = kind === "switch" ? ("boolean" as const) : ("string" as const);
      const off = kind === "switch" ? [`no-${flag}`, ...(negation === undefined ? [] : [negation])] : [];
      return [flag, ...off].map((each) => [each, { type }]);
    }),
  );
}

const flagsByEngine = new Map(engineNames.map((name) => [name, flagOptionsOf(name)]));
const flagOptions: FlagOptions = Object.assign({}, ...flagsByEngine.values());

const OWN_OPTIONS = {
  engine: { type: "string" },
  gpu: { type: "string" },
  gpus: { type: "string" },
  shape: { type: "string" },
  "gpu-memory-gib": { type: "string" },
  "host-memory-gib": { type: "string" },
  tp: { type: "string" },
  pp: { type: "string" },
  utilization: { type: "string" },
  context: { type: "string" },
  concurrency: { type: "string" },
  traffic: { type: "string" },
  level: { type: "string" },
  "kv-dtype": { type: "string" },
  quantization: { type: "string" },
  "engine-version": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type OptionName = keyof typeof OWN_OPTIONS;

/** Options by a model's setting in plans. */
const BY_SETTING: Readonly<Record<string, OptionName>> = {
  tensorParallel: "tp",
  pipelineParallel: "pp",
  gpuMemoryUtilization: "utilization",
  contextTokens: "context",
  kvCacheDtype: "kv-dtype",
};

/** An engine's names for options here: `models.<name>.contextTokens` is its `--max-model-len`. */
function engineSpellings(name: EngineName): (readonly [string, OptionName])[] {
  const { options, arguments: rules } = engineOf(name).options;
  return options.arguments.flatMap(({ name: flag }) => {
    const option = BY_SETTING[ruleFor(rules.settings, flag)?.split(".").at(-1) ?? ""];
    return option === undefined ? [] : [[flag, option] as const];
  });
}

const versionSpellings = new Map(
  engineNames.filter((name) => engineOf(name).memoryByVersion).map((name) => [`${name}-version`, name]),
);

/** Common words, and engines' own names. */
const spellings: Readonly<Record<string, OptionName>> = {
  card: "gpu",
  "gpu-model": "gpu",
  ...Object.fromEntries(engineNames.flatMap(engineSpellings)),
  ...Object.fromEntries([...versionSpellings.keys()].map((spelling) => [spelling, "engine-version" as const])),
};

/** Options that some engines refuse. */
const uses: Partial<Record<OptionName, (engine: Engine) => boolean>> = {
  tp: ({ parallelism }) => parallelism.tensor,
  utilization: ({ preallocatesGpuMemory }) => preallocatesGpuMemory,
  "engine-version": ({ memoryByVersion }) => memoryByVersion,
};

export const modelOptions = {
  ...OWN_OPTIONS,
  ...flagOptions,
  ...Object.fromEntries(Object.entries(spellings).map(([name, own]) => [name, OWN_OPTIONS[own]])),
};

export function spellingsOf(option: OptionName): readonly string[] {
  return Object.keys(spellings).filter((name) => spellings[name] === option);
}

/** Engines with an option or flag of this spelling. */
export function enginesTaking(spelled: string): readonly EngineName[] {
  if (Object.hasOwn(flagOptions, spelled)) {
    return engineNames.filter((name) => Object.hasOwn(flagsByEngine.get(name) ?? {}, spelled));
  }
  const ofOne = versionSpellings.get(spelled);
  if (ofOne !== undefined) {
    return [ofOne];
  }
  const use = uses[Object.hasOwn(spellings, spelled) ? (spellings[spelled] as OptionName) : (spelled as OptionName)];
  return use === undefined ? engineNames : engineNames.filter((name) => use(engineOf(name)));
}

export function enginesOn(processor: Processor): readonly EngineName[] {
  return engineNames.filter((name) => engineOf(name).images[processor] !== undefined);
}

export interface CommandLine {
  readonly positionals: readonly string[];
  /** As typed, by canonical name; true without a value. */
  readonly values: Readonly<Partial<Record<OptionName, string | true>>>;
  /** Typed name of each. */
  readonly typed: Readonly<Partial<Record<OptionName, string>>>;
  /** Engine flags by their own names. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly problems: readonly string[];
}

/** Never throws; values are checked later. */
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
  const [asked] = tokens.flatMap((token) =>
    token.kind === "option" && token.name === "engine" ? [token.value?.toLowerCase()] : [],
  );
  // The requested engine's answer comes first.
  const engines = [...engineNames].sort((a, b) => Number(b === asked) - Number(a === asked));
  let unknownAt = -1;
  for (const token of tokens) {
    if (token.kind === "positional") {
      // The value of an unknown option is no model.
      if (token.index !== unknownAt + 1 || unknownAt < 0) {
        positionals.push(token.value);
      }
      continue;
    }
    if (token.kind !== "option") {
      continue;
    }
    const { name, value } = token;
    const wrong = formProblem(name, value, engines);
    if (wrong !== undefined) {
      if (!Object.hasOwn(modelOptions, name) && value === undefined) {
        unknownAt = token.index;
      }
      problems.push(wrong);
    } else if (Object.hasOwn(flagOptions, name)) {
      if (Object.hasOwn(flags, name)) {
        problems.push(`--${name} is given twice: write it once`);
      }
      flags[name] = value ?? true;
    } else {
      const own = Object.hasOwn(spellings, name) ? spellings[name] : (name as OptionName);
      if (own === undefined) {
        continue;
      }
      if (typed[own] !== undefined) {
        problems.push(twice(own, typed[own], name));
      }
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

/** Unknown option, missing or extra value. */
function formProblem(name: string, value: string | undefined, engines: readonly EngineName[]): string | undefined {
  if (!Object.hasOwn(modelOptions, name)) {
    return unknownOption(name, engines);
  }
  const { type } = modelOptions[name as keyof typeof modelOptions];
  if (type === "string") {
    return value === undefined || value.startsWith("--") ? `--${name} needs a value behind it` : undefined;
  }
  return value === undefined ? undefined : `--${name} takes no value: write it alone, or leave it out`;
}

/** Engine flags without an option here are answered with their equivalent. */
function unknownOption(name: string, engines: readonly EngineName[]): string {
  const flag = `--${name.slice(0, 60)}`;
  for (const { label, overridingFlags = {}, options } of engines.map(engineOf)) {
    if (Object.hasOwn(overridingFlags, name)) {
      return `${flag} of ${label} is not taken: ${overridingFlags[name]}`;
    }
    if (!options.argumentNamed.has(name)) {
      continue;
    }
    const uncounted = ruleFor(options.arguments.memory, name);
    return uncounted === undefined
      ? `${flag} of ${label} changes nothing that is counted here: leave it out`
      : `${flag} of ${label} is not counted: ${uncounted}. Leave it out, and leave room for it`;
  }
  const known = Object.keys(modelOptions).map((option) => `--${option}`);
  return `${flag} is no option: ${suggest(flag, known, "--help lists them")}`;
}
