import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { chartArchive } from "../catalog/chart-archive";
import type { ChartEntry } from "../catalog/charts";
import { httpFile, httpText } from "../downloads/http";
import { type Expected, type Saved, type Source, save } from "../downloads/save";
import { tarEntries } from "../downloads/tar";
import type { Descriptor } from "./oci-image";
import type { Registry } from "./registry";

const CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/** Path of a chart's archive below the folder. */
export function chartFile(chart: Pick<ChartEntry, "name" | "version">): string {
  return `charts/${chartArchive(chart)}`;
}

/**
 * Fetches the archive of a pinned chart: from an OCI registry, or by the index of its repository. Compared with the
 * digest that either states.
 *
 * @throws Error naming the chart, and what its repository has instead.
 */
export async function fetchChart(
  registry: Registry,
  chart: ChartEntry,
  root: string,
  onBytes: (bytes: number) => void,
): Promise<Saved & { readonly file: string }> {
  const { name, version, repository } = chart;
  const what = `chart ${name} ${version}`;
  const file = chartFile(chart);
  const { source, expected } = repository.startsWith("oci://")
    ? await ociChart(registry, what, chart)
    : await indexedChart(what, chart);
  const saved = await save(what, join(root, file), source, expected, { resumes: false, onBytes });
  return { file, ...saved };
}

interface Found {
  readonly source: Source;
  readonly expected: Expected;
}

async function ociChart(registry: Registry, what: string, { repository, version }: ChartEntry): Promise<Found> {
  const reference = repository.slice("oci://".length);
  // Tags have no "+"; Helm writes "_" for it.
  const content = await registry.manifest(`${reference}:${version.replaceAll("+", "_")}`);
  const { layers = [] } = JSON.parse(content.toString("utf8")) as { readonly layers?: readonly Descriptor[] };
  const layer = layers.find(({ mediaType }) => mediaType === CHART_LAYER);
  if (layer === undefined) {
    throw new Error(`${what}: ${repository} is no chart`);
  }
  return {
    source: () => registry.blob(reference, layer.digest),
    expected: { bytes: layer.size, sha256: layer.digest.replace("sha256:", "") },
  };
}

/** The largest of the catalogue has some hundred KB. */
const MOST_CHART_BYTES = 100 * 2 ** 20;

interface IndexEntry {
  readonly version: string;
  readonly digest?: string;
  readonly urls?: readonly string[];
}

async function indexedChart(what: string, { chart, repository, version }: ChartEntry): Promise<Found> {
  const base = `${repository.replace(/\/+$/, "")}/`;
  const index = parse(await httpText(`${base}index.yaml`)) as {
    readonly entries?: Readonly<Record<string, readonly IndexEntry[]>>;
  };
  const offered = index.entries?.[chart] ?? [];
  const found = offered.find((entry) => withoutV(entry.version) === withoutV(version));
  const url = found?.urls?.[0];
  if (found === undefined || url === undefined) {
    const newest = offered
      .slice(0, 5)
      .map((entry) => entry.version)
      .join(", ");
    throw new Error(`${what}: ${repository} has no such version; its first ones: ${newest || "none"}`);
  }
  const sha256 = found.digest?.replace("sha256:", "");
  return {
    source: httpFile(new URL(url, base).href),
    expected: { atMostBytes: MOST_CHART_BYTES, ...(sha256 !== undefined && { sha256 }) },
  };
}

function withoutV(version: string): string {
  return version.replace(/^v/, "");
}

/**
 * What keeps an archive from being the pinned chart; undefined when it is.
 *
 * @param archive content of the `.tgz`.
 */
export function chartProblem(
  archive: Buffer,
  { chart, version }: Pick<ChartEntry, "chart" | "version">,
): string | undefined {
  const found = chartIdentity(archive);
  if (found === undefined) {
    return "it is no archive of a chart";
  }
  return found.name === chart && withoutV(found.version) === withoutV(version)
    ? undefined
    : `it holds ${found.name} ${found.version}, not ${chart} ${version}`;
}

function chartIdentity(archive: Buffer): { readonly name: string; readonly version: string } | undefined {
  try {
    const file = tarEntries(gunzipSync(archive)).find(({ path }) => /^[^/]+\/Chart\.yaml$/.test(path));
    const { name, version } = parse(String(file?.content)) as { readonly name?: unknown; readonly version?: unknown };
    return typeof name === "string" && typeof version === "string" ? { name, version } : undefined;
  } catch {
    return undefined;
  }
}
