/** What the planner makes of the default configuration of every causal language model family, beside exact counts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../../names/repository-root";
import type { ModelArchitecture } from "../../../../planner/model/architecture";
import { readModelConfig } from "../../../../planner/model/config-json";
import { ModelConfigError } from "../../../../planner/model/errors";
import { countParameters } from "../../../../planner/model/parameters";

export interface Family {
  readonly modelType: string;
  /** The class that transformers makes of the configuration. */
  readonly className: string;
  /** What vLLM loads of the parameters that transformers makes, tied tensors once. */
  readonly parameters: number;
  /** Values beside the parameters that checkpoints store: biases of routers, scalars of layers. */
  readonly buffers: number;
  readonly config: Readonly<Record<string, unknown>>;
  /** vLLM releases whose registry has the class, of those that were looked at; empty: none serves it. */
  readonly servedBy: readonly string[];
}

export type Outcome =
  /** With or without the stored buffers: some of what vLLM has as parameters are buffers in transformers. */
  | { readonly kind: "exact" }
  /** The planner's number is off by this share of the exact one: near within 1 %. */
  | { readonly kind: "near" | "off"; readonly error: number }
  | { readonly kind: "refused"; readonly reason: string };

interface CountedFamily {
  readonly class: string;
  readonly parameters: number;
  readonly buffers: number;
  /** Of the parameters: heads that pool an image into one vector, which vLLM does not load. */
  readonly poolingHeads: number;
  readonly config: Family["config"];
}

interface FamiliesFile {
  readonly transformers: string;
  readonly families: Readonly<Record<string, CountedFamily>>;
}

interface ServedFile {
  readonly releases: readonly string[];
  readonly families: Readonly<Record<string, readonly string[]>>;
}

const NEAR = 0.01;

/**
 * What transformers makes and no checkpoint holds: LongCat's "zero experts" pass a token on, yet modeling_longcat_flash.py
 * (5.19.0) makes the gate and up matrices of all 256 in 28 layers. The published models have 560 B, and vLLM loads that.
 */
const neverStored: Readonly<Record<string, number>> = { longcat_flash: 28 * 256 * (2 * 2048) * 6144 };

const familiesFile: FamiliesFile = JSON.parse(fixture("families.json"));
const servedFile: ServedFile = JSON.parse(fixture("served-by-vllm.json"));

/** The version of transformers that counted. */
export const transformersVersion = familiesFile.transformers;

/** The vLLM releases whose registries were read, oldest first. */
export const vllmReleases = servedFile.releases;

export const families: readonly Family[] = Object.entries(familiesFile.families).map(
  ([modelType, { class: className, parameters, buffers, poolingHeads, config }]) => ({
    modelType,
    className,
    parameters: parameters - poolingHeads - (neverStored[modelType] ?? 0),
    buffers,
    config,
    servedBy: servedFile.families[modelType] ?? [],
  }),
);

/** Families whose number the planner does not give yet; see the README beside the list. */
export const notYetExact: readonly string[] = fixture("not-yet-exact.txt")
  .split("\n")
  .filter((line) => line !== "");

/**
 * The architecture of a family's default configuration.
 * @param changes keys that differ from it; undefined: the key is absent
 */
export function defaultArchitecture(
  modelType: string,
  changes: Readonly<Record<string, unknown>> = {},
): ModelArchitecture {
  return readModelConfig({ ...defaultConfig(modelType), ...changes }, { name: modelType });
}

/** The default configuration of a family. */
export function defaultConfig(modelType: string): Family["config"] {
  const family = familiesFile.families[modelType];
  if (family === undefined) {
    throw new Error(`no family ${modelType} in families.json`);
  }
  return family.config;
}

/** @param config a spelling of the family's default configuration; as the fixture has it when absent */
export function compare(family: Family, config: unknown = family.config): Outcome {
  try {
    const counted = countParameters(readModelConfig(config, { name: family.modelType })).total;
    const error = counted / family.parameters - 1;
    if (error === 0 || counted === family.parameters + family.buffers) {
      return { kind: "exact" };
    }
    return { kind: Math.abs(error) <= NEAR ? "near" : "off", error };
  } catch (error) {
    if (!(error instanceof ModelConfigError)) {
      throw error;
    }
    return { kind: "refused", reason: error.message };
  }
}

function fixture(name: string): string {
  return readFileSync(join(repositoryRoot(), "test", "fixtures", "families", name), "utf8");
}
