/**
 * Defaults of transformers' configuration classes, which a config.json may omit (Gemma 3's
 * vocabulary). Written by test/nightly/families/read_defaults.py.
 */
import table from "./model-defaults.json";

export interface NestedSection {
  /** The family of the section where the file names none. */
  readonly family: string;
  /** Whether the section of a file may be of another family, which it then names. */
  readonly any: boolean;
}

export interface FamilyDefaults {
  readonly family: string;
  /** By the class's own spelling. What a class computes from other settings is not among them. */
  readonly values: Readonly<Record<string, boolean | number | string>>;
  /** Other spellings that the class understands, each with its own one. */
  readonly spellings: Readonly<Record<string, string>>;
  readonly sections: Readonly<Record<string, NestedSection>>;
}

/** The version of transformers that the defaults are of. */
export const transformersVersion: string = table.transformers;

const families: Readonly<Record<string, Partial<Omit<FamilyDefaults, "family">>>> = table.families;

/** Undefined without a class, or if vLLM uses another. */
export function familyDefaults(family: string): FamilyDefaults | undefined {
  const known = Object.hasOwn(families, family) ? families[family] : undefined;
  return known && { family, values: {}, spellings: {}, sections: {}, ...known };
}
