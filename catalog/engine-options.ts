import type { EngineReleases } from "./engine-releases";

/** One flag of an engine's command line. */
export interface EngineArgument {
  /** Without dashes, e.g. "tool-call-parser". */
  readonly name: string;
  /** `switch` takes no value; `list` takes one or more; `json` takes a mapping, a list or JSON text. */
  readonly kind: "switch" | "integer" | "number" | "text" | "json" | "list";
  /** Of a switch: it is written with true or false as its value. @default its name alone switches it */
  readonly assigned?: boolean;
  /** The flag that switches it off, without dashes. */
  readonly negation?: string;
  readonly aliases?: readonly string[];
  /** Whole numbers may carry a unit: 8k, 1M. */
  readonly suffix?: boolean;
  readonly choices?: readonly string[];
  /** Of choices: names of plugins are taken too. Of `json`: any text is. */
  readonly open?: boolean;
}

/** One environment variable that an engine reads. */
export interface EngineVariable {
  readonly name: string;
  readonly kind: "switch" | "integer" | "number" | "text";
  readonly choices?: readonly string[];
}

/** The options of one engine, of the version that the platform pins. */
export interface EngineOptions {
  readonly about: string;
  /** What the engine's own parser says of itself, from the repository root: this is made from it (engine-options/from-parser.ts). */
  readonly record: string;
  readonly engine: string;
  readonly version: string;
  readonly source: string;
  readonly asOf: string;
  readonly arguments: readonly EngineArgument[];
  readonly environment: readonly EngineVariable[];
}

/** What a plan says of a model: prompts may hold images; layers keep a state for each request. */
export const MODEL_TRAITS = ["takesImages", "keepsStates"] as const;
export type ModelTrait = (typeof MODEL_TRAITS)[number];

/** What the platform says of options that the engine has, by name; a trailing `*` matches any ending. */
export interface OptionRules {
  /** Set by a key of the model's configuration: option to key. */
  readonly settings: Readonly<Record<string, string>>;
  /** Not to be set, and why. */
  readonly refused: Readonly<Record<string, string>>;
  /** Changes the memory that the model needs, in a way that the plan does not count: how. */
  readonly memory: Readonly<Record<string, string>>;
  /** Of `memory`, remarks that hold for such models alone. @default they hold for every model */
  readonly concerns?: Readonly<Partial<Record<ModelTrait, readonly string[]>>>;
  /** Its value is text that the engine looks up nowhere: what reads it. Values of other flags may name nothing outside the pod. @default none */
  readonly texts?: Readonly<Record<string, string>>;
  /** May be set; a note for readers of the plan. */
  readonly advice: Readonly<Record<string, string>>;
  /** Writes prompts or answers into the pod's log with a value that this expression matches, whatever its case. @default none does */
  readonly writesText?: Readonly<Record<string, string>>;
  /** Options that earlier versions had, and what to write in their place. @default none is known */
  readonly former?: Readonly<Record<string, string>>;
}

/** What may be set for an engine: catalog/engine-options/<engine>.json, and <engine>-rules.json of what we say of it. */
export interface EngineOptionCatalogue {
  readonly options: EngineOptions;
  readonly arguments: OptionRules;
  readonly environment: OptionRules;
  /** Flags by name without dashes: those that the pinned version has. */
  readonly argumentNamed: ReadonlyMap<string, EngineArgument>;
  /** Names by release. @default only the pinned release was read */
  readonly releases?: EngineReleases;
}

/** Options and rules of one engine as one. Both files are checked against catalog/schema by test/catalog. */
export function optionCatalogue(
  options: EngineOptions,
  { arguments: flags, environment }: { readonly arguments: OptionRules; readonly environment: OptionRules },
  releases?: EngineReleases,
): EngineOptionCatalogue {
  const argumentNamed = new Map(options.arguments.map((argument) => [argument.name, argument]));
  return { options, arguments: flags, environment, argumentNamed, ...(releases && { releases }) };
}

/** Whether a list of rules has an option. */
export function isOneOf(rules: readonly string[], name: string): boolean {
  return ruleFor(Object.fromEntries(rules.map((rule) => [rule, rule])), name) !== undefined;
}

/** What a table of rules says of an option. */
export function ruleFor(table: Readonly<Record<string, string>>, name: string): string | undefined {
  if (Object.hasOwn(table, name)) {
    return table[name];
  }
  const pattern = Object.keys(table).find((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
  return pattern === undefined ? undefined : table[pattern];
}
