import table from "./charts.json";
import { unknownName } from "./nearest";

/** A pinned Helm chart. */
export interface ChartEntry {
  /** Catalogue name, e.g. "istio-base". */
  readonly name: string;
  /** Name inside the repository, e.g. "base". */
  readonly chart: string;
  /** "https://…" index, or "oci://…" reference of the chart itself. */
  readonly repository: string;
  readonly version: string;
  /** The archive as it was published, where that was read. */
  readonly archive?: ChartArchive;
  readonly appVersion: string;
  /** Kubernetes versions that the chart accepts. */
  readonly kubeVersion?: string;
  /** How the chart brings its CRDs; absent when it has none. */
  readonly crdNotes?: string;
  readonly notes: readonly string[];
  /** Repository, path and commit that was read. */
  readonly source: string;
  readonly asOf: string;
}

export interface ChartArchive {
  /** That was read; the digest of an older one counts for nothing. */
  readonly version: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly source: string;
  readonly asOf: string;
}

/** The part of a `kubernetes.helm.v3.Release` that says which chart to install. */
export interface ChartReference {
  readonly chart: string;
  readonly version: string;
  readonly repositoryOpts?: { readonly repo: string };
}

// Checked against catalog/schema by test/catalog.
export const charts = table.charts as readonly ChartEntry[];

const byName = new Map(charts.map((entry) => [entry.name, entry]));

/** @throws Error for an unknown name, with the nearest. */
export function chart(name: string): ChartEntry {
  const entry = byName.get(name);
  if (entry === undefined) {
    throw unknownName("chart", name, [...byName.keys()], "catalog/charts.json");
  }
  return entry;
}

/**
 * For `kubernetes.helm.v3.Release`: OCI charts by reference, others by name and repository. @throws
 * Error for an unknown name, with the nearest.
 */
export function chartReference(name: string): ChartReference {
  const entry = chart(name);
  return entry.repository.startsWith("oci://")
    ? { chart: entry.repository, version: entry.version }
    : { chart: entry.chart, version: entry.version, repositoryOpts: { repo: entry.repository } };
}
