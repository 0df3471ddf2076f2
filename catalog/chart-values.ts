import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../names/repository-root";
import { chart } from "./charts";
import { nearest } from "./nearest";

/** Type of a chart's default value, as read from its values.yaml. */
export type ValueType = "map" | "list" | "string" | "number" | "boolean" | "null";

/** Keys of a pinned chart (chart-values/<name>.json). A dot in a key is `\.`, as in `--set`. */
export interface ChartValueKeys {
  readonly chart: string;
  readonly version: string;
  readonly source: string;
  readonly asOf: string;
  /** Path to type of the default, inner maps included. */
  readonly values: Readonly<Record<string, ValueType>>;
  /** Maps whose inner keys are not the chart's: labels, resources, Kubernetes and CR fields, config objects. */
  readonly open: readonly string[];
  /** Keys that may be set although values.yaml lists no default: from templates, the schema, commented examples. */
  readonly otherKeys: readonly string[];
  /** Subcharts by the key of their values. */
  readonly subcharts: readonly string[];
}

interface KnownKeys {
  readonly types: ReadonlyMap<string, ValueType>;
  /** Every path that may be set, with the maps on the way to it. */
  readonly paths: ReadonlySet<string>;
  /** Maps below which anything may be set. */
  readonly open: ReadonlySet<string>;
}

const cache = new Map<string, KnownKeys>();

/**
 * Checks values against the chart's keys, because Helm ignores unknown ones.
 * @param chartName catalogue name, e.g. "gateway-helm".
 * @param values resolved values.
 * @returns messages for unknown keys, with the nearest, and for scalars or lists in place of maps.
 * @throws Error for an unknown chart.
 */
export function chartValueProblems(chartName: string, values: Readonly<Record<string, unknown>>): string[] {
  const { version } = chart(chartName);
  const known = knownKeys(chartName);
  return problemsBelow(values, "", known).map((problem) => `${chartName} ${version}: ${problem}`);
}

/** The value keys of a pinned chart, as stored. */
export function readChartValueKeys(chartName: string): ChartValueKeys {
  const file = join(repositoryRoot(), "catalog", "chart-values", `${chart(chartName).name}.json`);
  return JSON.parse(readFileSync(file, "utf8"));
}

function problemsBelow(map: Readonly<Record<string, unknown>>, parent: string, known: KnownKeys): string[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const segment = key.replaceAll(".", "\\.");
    const path = parent === "" ? segment : `${parent}.${segment}`;
    if (!known.paths.has(path)) {
      return [unknownKey(path, known)];
    }
    if (known.open.has(path)) {
      return [];
    }
    if (isMap(value)) {
      return problemsBelow(value, path, known);
    }
    return known.types.get(path) === "map" && value !== null && value !== undefined
      ? [`value "${path}" must be a map, ${JSON.stringify(value)} given`]
      : [];
  });
}

function unknownKey(path: string, known: KnownKeys): string {
  const hint = nearest(path, known.paths);
  return `no value "${path}"${hint === undefined ? "" : `; the nearest one is "${hint}"`}`;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function knownKeys(chartName: string): KnownKeys {
  const cached = cache.get(chartName);
  if (cached !== undefined) {
    return cached;
  }
  const stored = readChartValueKeys(chartName);
  const types = new Map(Object.entries(stored.values));
  const stated = [...types.keys(), ...stored.otherKeys, ...stored.open, ...stored.subcharts, "global"];
  const paths = new Set(stated.flatMap(withParents));
  const parents = new Set([...paths].flatMap((path) => parentOf(path) ?? []));
  // Maps without known inner keys accept any.
  const opaque = [...paths].filter((path) => !parents.has(path) && takesMap(types.get(path)));
  const known = { types, paths, open: new Set([...stored.open, ...opaque]) };
  cache.set(chartName, known);
  return known;
}

function takesMap(type: ValueType | undefined): boolean {
  return type === undefined || type === "map" || type === "null";
}

function withParents(path: string): string[] {
  const parent = parentOf(path);
  return parent === undefined ? [path] : [...withParents(parent), path];
}

/** Path of the enclosing map: up to the last dot that is not escaped. */
function parentOf(path: string): string | undefined {
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    if (path[dot - 1] !== "\\") {
      return path.slice(0, dot);
    }
  }
  return undefined;
}
