/**
 * Reads one level of a config.json and collects all problems: after one it returns a harmless
 * value, so that the rest is checked; the caller throws at the end (ModelConfigError).
 */
import { z } from "zod";
import { type FamilyDefaults, familyDefaults } from "../../catalog/model-defaults";
import type { AssumedSetting } from "./assumed";
import { ownValue } from "./own-value";

export interface ConfigProblem {
  /** Dotted path, e.g. "text_config.hidden_size". */
  readonly path: string;
  /** As in the file, shortened. */
  readonly value: string;
  readonly message: string;
  /** @default take the file as its repository has it */
  readonly fix?: string;
}

/** Far above published models: beyond them the file is wrong or hostile. */
const LIMITS = {
  /** Layers, heads, experts: also bounds the planner's work. */
  count: 4096,
  /** Widths, vocabulary sizes, ranks. */
  size: 2 ** 26,
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

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Short and on one line. */
export function shortValue(value: unknown): string {
  const text =
    typeof value === "string" || isPlainObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Collected on all levels of a file. */
export interface Findings {
  readonly problems: ConfigProblem[];
  /** Requested settings that the file leaves to defaults. */
  readonly assumed: AssumedSetting[];
}

export class ConfigSource {
  constructor(
    private readonly values: PlainObject,
    private readonly path: string,
    private readonly findings: Findings,
    private readonly defaults?: FamilyDefaults,
  ) {}

  /** The same level, with the family's defaults. */
  withDefaults(defaults: FamilyDefaults | undefined): ConfigSource {
    return new ConfigSource(this.values, this.path, this.findings, defaults);
  }

  /** Whether the file or the family's defaults have a non-null value. */
  has(key: string): boolean {
    return this.raw(key) !== undefined;
  }

  /** Whether the file itself has a non-null value. */
  states(key: string): boolean {
    return this.stated(key) !== undefined;
  }

  /** The file's value or the family's default; null and inherited properties count as absent. */
  raw(key: string): unknown {
    return this.stated(key) ?? this.defaultOf(key);
  }

  keys(): readonly string[] {
    return Object.keys(this.values);
  }

  /** First spelling present in file or defaults. */
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

  /** 0 or absent means none. */
  optionalSize(keys: string | readonly string[]): number | undefined {
    const key = this.firstKey(...asList(keys));
    return key === undefined || this.raw(key) === 0 || this.raw(key) === -1 ? undefined : this.size(key);
  }

  /** 0 or absent means none. */
  optionalCount(keys: string | readonly string[]): number {
    const key = this.firstKey(...asList(keys));
    return key === undefined || this.raw(key) === 0 ? 0 : this.count(key);
  }

  /** With the defaults of its own family; undefined when absent. */
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

  /** Empty when absent. */
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

  /** A key in the file, in any spelling and even null, gets no default. */
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
