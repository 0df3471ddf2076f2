import type { EngineReleases } from "./engine-releases";

/** One flag of an engine's command line. */
export interface EngineArgument {
  /** Without dashes, e.g. "tool-call-parser". */
  readonly name: string;
  /** `switch` has no value; `list` has one or more; `json` is a mapping, list or JSON text. */
  readonly kind: "switch" | "integer" | "number" | "text" | "json" | "list";
  /** Whether a switch has the value true or false. @default its name alone */
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
  /**
   * The engine's own parser output, from the repository root, source of this
   * (engine-options/from-parser.ts).
   */
  readonly record: string;
  readonly engine: string;
  readonly version: string;
  readonly source: string;
  readonly asOf: string;
  readonly arguments: readonly EngineArgument[];
  readonly environment: readonly EngineVariable[];
}

/** Prompts may hold images; layers keep state per request. */
export const MODEL_TRAITS = ["takesImages", "keepsStates"] as const;
export type ModelTrait = (typeof MODEL_TRAITS)[number];

/** By option name; a trailing `*` matches any ending. */
export interface OptionRules {
  /** Set by a key of the model's configuration: option to key. */
  readonly settings: Readonly<Record<string, string>>;
  /** Not to be set, and why. */
  readonly refused: Readonly<Record<string, string>>;
  /** Memory effects that the plan does not count. */
  readonly memory: Readonly<Record<string, string>>;
  /** Of `memory`, remarks that hold for such models alone. @default they hold for every model */
  readonly concerns?: Readonly<Partial<Record<ModelTrait, readonly string[]>>>;
  /**
   * Text that the engine does not resolve. Other values may name nothing outside the pod. @default
   * none
   */
  readonly texts?: Readonly<Record<string, string>>;
  /** May be set; a note for readers of the plan. */
  readonly advice: Readonly<Record<string, string>>;
  /** Logs prompts or answers with a matching value, in any case. @default none */
  readonly writesText?: Readonly<Record<string, string>>;
  /** Options that earlier versions had, and what to write in their place. @default none is known */
  readonly former?: Readonly<Record<string, string>>;
}

/** catalog/engine-options/<engine>.json, with <engine>-rules.json. */
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
