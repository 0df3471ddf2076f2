/**
 * Reads one level of a config.json, collecting every problem instead of stopping at the first.
 * After a problem the reader returns a harmless value, so that the rest of the file is still checked;
 * the caller throws once at the end (ModelConfigError).
 */
import { z } from "zod";
import { type FamilyDefaults, familyDefaults } from "../../catalog/model-defaults";
import type { AssumedSetting } from "./assumed";
import { ownValue } from "./own-value";

export interface ConfigProblem {
  /** Dotted path inside the config, e.g. "text_config.hidden_size". */
  readonly path: string;
  /** The offending value as the file has it, shortened. */
  readonly value: string;
  readonly message: string;
  /** What to do. @default take the file as its repository has it */
  readonly fix?: string;
}

/** Upper bounds that no published model comes near: beyond them the file is wrong or hostile. */
const LIMITS = {
  /** Layers, heads, experts: also bounds the planner's own work. */
  count: 4096,
  /** Widths, vocabulary sizes, ranks. */
  size: 2 ** 26,
  /** Positions. */
  positions: 2 ** 40,
} as const;

const schemas = {
  count: z.number().int().positive().max(LIMITS.count),
  size: z.number().int().positive().max(LIMITS.size),
  positions: z.number().int().positive().max(LIMITS.positions),
  flag: z.boolean(),
  text: z.string().max(256),
  factor: z.number().positive().max(1e9),
  textList: z.array(z.string().max(512)).max(200_000),
  sizeList: z.array(z.number().int().positive().max(LIMITS.size)).max(LIMITS.count),
  integerList: z.array(z.number().int()).max(LIMITS.count),
  textOrList: z.union([z.string().max(256), z.array(z.string().max(256)).max(64)]),
} as const;

type SchemaName = keyof typeof schemas;

const expectations: Readonly<Record<SchemaName, string>> = {
  count: `a whole number from 1 to ${LIMITS.count}`,
  size: `a whole number from 1 to ${LIMITS.size}`,
  positions: `a whole number from 1 to ${LIMITS.positions}`,
  flag: "true or false",
  text: "a string of at most 256 characters",
  factor: "a number above 0",
  textList: "a list of strings",
  sizeList: `a list of whole numbers from 1 to ${LIMITS.size}`,
  integerList: "a list of whole numbers",
  textOrList: "a string or a list of strings",
};

export type PlainObject = Readonly<Record<string, unknown>>;

/** True for objects as JSON.parse makes them. */
export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as it may be shown in a message: short and on one line. */
export function shortValue(value: unknown): string {
  const text =
    typeof value === "string" || isPlainObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** What reading one file collects, on all its levels. */
export interface Findings {
  readonly problems: ConfigProblem[];
  /** Settings that were asked for and that the file leaves to its family's defaults. */
  readonly assumed: AssumedSetting[];
}

export class ConfigSource {
  constructor(
    private readonly values: PlainObject,
    private readonly path: string,
    private readonly findings: Findings,
    private readonly defaults?: FamilyDefaults,
  ) {}

  /** The same level; what the file leaves out has the defaults of its family. */
  withDefaults(defaults: FamilyDefaults | undefined): ConfigSource {
    return new ConfigSource(this.values, this.path, this.findings, defaults);
  }

  /** True when the key is present, in the file or in the family's defaults, with something other than null. */
  has(key: string): boolean {
    return this.raw(key) !== undefined;
  }

  /** True when the file itself has the key, with something other than null. */
  states(key: string): boolean {
    return this.stated(key) !== undefined;
  }

  /** The raw value of the file, or the family's default; null counts as absent, and so do inherited properties. */
  raw(key: string): unknown {
    return this.stated(key) ?? this.defaultOf(key);
  }

  /** The keys that the file has on this level. */
  keys(): readonly string[] {
    return Object.keys(this.values);
  }

  /** The first of several spellings that is present, in the file or in the family's defaults. */
  firstKey(...keys: readonly string[]): string | undefined {
    return keys.find((key) => this.has(key));
  }

  count(keys: string | readonly string[], fallback?: number): number {
    return this.read("count", keys, fallback, 1);
  }

  size(keys: string | readonly string[], fallback?: number): number {
    return this.read("size", keys, fallback, 1);
  }

  positions(keys: string | readonly string[], fallback?: number): number {
    return this.read("positions", keys, fallback, 1);
  }

  factor(key: string, fallback?: number): number {
    return this.read("factor", key, fallback, 1);
  }

  flag(keys: string | readonly string[], fallback: boolean): boolean {
    return this.read("flag", keys, fallback, fallback);
  }

  text(keys: string | readonly string[], fallback: string): string {
    return this.read("text", keys, fallback, fallback);
  }

  textList(key: string): readonly string[] {
    return this.read("textList", key, [], []);
  }

  sizeList(key: string): readonly number[] {
    return this.read("sizeList", key, [], []);
  }

  integerList(key: string): readonly number[] {
    return this.read("integerList", key, [], []);
  }

  /** A size where 0 or an absent key means "none". */
  optionalSize(keys: string | readonly string[]): number | undefined {
    const key = this.firstKey(...asList(keys));
    return key === undefined || this.raw(key) === 0 || this.raw(key) === -1 ? undefined : this.size(key);
  }

  /** A count where 0 or an absent key means "none". */
  optionalCount(keys: string | readonly string[]): number {
    const key = this.firstKey(...asList(keys));
    return key === undefined || this.raw(key) === 0 ? 0 : this.count(key);
  }

  /** A nested object with the defaults of its own family; undefined when the key is absent. */
  section(key: string): ConfigSource | undefined {
    if (!this.has(key)) {
      return undefined;
    }
    const value = this.raw(key);
    if (isPlainObject(value)) {
      return new ConfigSource(value, this.pathOf(key), this.findings, this.sectionDefaults(key, value));
    }
    this.problem(key, `must be an object`);
    return undefined;
  }

  /** A list of nested objects; empty when the key is absent. */
  sections(key: string): readonly ConfigSource[] {
    const values = this.raw(key) ?? [];
    if (!Array.isArray(values) || !values.every(isPlainObject) || values.length > LIMITS.count) {
      this.problem(key, `expected a list of at most ${LIMITS.count} objects`);
      return [];
    }
    return values.map((value, index) => new ConfigSource(value, `${this.pathOf(key)}[${index}]`, this.findings));
  }

  problem(key: string, message: string): void {
    this.findings.problems.push({ path: this.pathOf(key), value: shortValue(this.raw(key)), message });
  }

  private stated(key: string): unknown {
    return (Object.hasOwn(this.values, key) ? this.values[key] : undefined) ?? undefined;
  }

  /** A key that the file has, under any spelling and even as null, does not get its default. */
  private defaultOf(key: string): FamilyDefaults["values"][string] | undefined {
    if (this.defaults === undefined) {
      return undefined;
    }
    const { values, spellings } = this.defaults;
    const own = ownValue(spellings, key) ?? key;
    const others = Object.keys(spellings).filter((spelling) => spellings[spelling] === own);
    if ([own, ...others].some((spelling) => Object.hasOwn(this.values, spelling))) {
      return undefined;
    }
    return ownValue(values, own);
  }

  private pathOf(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  private sectionDefaults(key: string, section: PlainObject): FamilyDefaults | undefined {
    const nested = this.defaults && ownValue(this.defaults.sections, key);
    const named = Object.hasOwn(section, "model_type") ? section.model_type : undefined;
    if (nested !== undefined && !nested.any) {
      return familyDefaults(nested.family);
    }
    const family = typeof named === "string" ? named : nested?.family;
    return family === undefined ? undefined : familyDefaults(family);
  }

  private assume(key: string): void {
    const value = this.defaultOf(key);
    const path = this.pathOf(key);
    if (value === undefined || this.defaults === undefined) {
      return;
    }
    if (this.findings.assumed.some((setting) => setting.path === path)) {
      return;
    }
    this.findings.assumed.push({ path, key, value, family: this.defaults.family });
  }

  private read<Name extends SchemaName, Value extends z.infer<(typeof schemas)[Name]>>(
    schemaName: Name,
    keys: string | readonly string[],
    fallback: Value | undefined,
    afterProblem: Value,
  ): Value;
  private read(
    schemaName: SchemaName,
    keys: string | readonly string[],
    fallback: unknown,
    afterProblem: unknown,
  ): unknown {
    const spellings = asList(keys);
    const key = this.firstKey(...spellings);
    if (key === undefined) {
      if (fallback !== undefined) {
        return fallback;
      }
      this.problem(spellings.join(" or "), `is missing; expected ${expectations[schemaName]}`);
      return afterProblem;
    }
    const result = schemas[schemaName].safeParse(this.raw(key));
    if (result.success) {
      if (!this.states(key) && result.data !== fallback) {
        this.assume(key);
      }
      return result.data;
    }
    this.problem(key, `expected ${expectations[schemaName]}`);
    return afterProblem;
  }
}

function asList(keys: string | readonly string[]): readonly string[] {
  return typeof keys === "string" ? [keys] : keys;
}
