import type { ChartEntry } from "../catalog/charts";
import { bounded, contentOf } from "../downloads/bounded";
import { type HttpOptions, httpFile } from "../downloads/http";
import type { Expected, Source } from "../downloads/save";
import { messageOf } from "../names/message-of";
import { withoutV } from "./archive";
import { entriesOf, type IndexEntry } from "./index-entries";
import type { Registry } from "./registry";

const CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/** Helm keeps a release in a Secret of 1 MiB at most: charts are smaller than this by far. */
const LARGEST_CHART = { bytes: 16 * 2 ** 20, seconds: 300 } as const;
/** Of repositories with thousands of versions. */
const LARGEST_INDEX = { bytes: 64 * 2 ** 20, seconds: 300 } as const;
/**
 * Until the answer begins, and then without a byte. A repository that does not answer must not hold up a preview: where its chart is not in
 * the cache, and is none of this platform's, each run asks for it again.
 */
export const PATIENCE = { answerSeconds: 6, silenceSeconds: 20 } as const;

/** Where the archive of a chart is, and what it must be as far as its repository says so. */
export interface FoundChart {
  readonly source: Source;
  readonly expected: Expected;
}

/** Repositories of charts: OCI registries, and those with an index. Each index is asked for once. */
export class ChartRepositories {
  private readonly indexes = new Map<string, Promise<string>>();

  constructor(
    private readonly registry: Registry,
    private readonly options: HttpOptions = PATIENCE,
  ) {}

  /**
   * The archive of a pinned chart. Its source ends in an error beyond what charts have in bytes and time.
   *
   * @throws Error naming the chart, and what its repository has instead.
   */
  async find(chart: ChartEntry): Promise<FoundChart> {
    const what = `chart ${chart.name} ${chart.version}`;
    const found = chart.repository.startsWith("oci://")
      ? await this.inRegistry(what, chart)
      : await this.inIndex(what, chart);
    return { ...found, source: bounded(what, found.source, LARGEST_CHART) };
  }

  private async inRegistry(what: string, { repository, version }: ChartEntry): Promise<FoundChart> {
    const reference = repository.slice("oci://".length);
    // Tags have no "+"; Helm writes "_" for it.
    const content = await this.registry.manifest(`${reference}:${version.replaceAll("+", "_")}`);
    const layer = layersOf(content).find(({ mediaType }) => mediaType === CHART_LAYER);
    const [, sha256] = /^sha256:([0-9a-f]{64})$/.exec(String(layer?.digest)) ?? [];
    if (layer === undefined || sha256 === undefined) {
      throw new Error(`${what}: ${repository} is no chart`);
    }
    const { size } = layer;
    return {
      source: () => this.registry.blob(reference, `sha256:${sha256}`),
      expected: { sha256, ...(typeof size === "number" && { bytes: size }) },
    };
  }

  private async inIndex(what: string, { chart, repository, version }: ChartEntry): Promise<FoundChart> {
    const base = `${repository.replace(/\/+$/, "")}/`;
    const index = this.indexes.get(base) ?? indexOf(base, this.options);
    this.indexes.set(base, index);
    const versions = entriesIn(`${base}index.yaml`, await index, chart, version);
    const found = versions.find((entry) => withoutV(String(entry.version)) === withoutV(version));
    const url = found?.urls?.[0];
    if (found === undefined || url === undefined || !URL.canParse(url, base)) {
      const newest = versions
        .slice(0, 5)
        .map((entry) => entry.version)
        .join(", ");
      throw new Error(`${what}: ${repository} has no such version; its first ones: ${newest || "none"}`);
    }
    const [, sha256] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(String(found.digest)) ?? [];
    return {
      source: httpFile(new URL(url, base).href, this.options),
      expected: sha256 === undefined ? {} : { sha256: sha256.toLowerCase() },
    };
  }
}

async function indexOf(base: string, options: HttpOptions): Promise<string> {
  const url = `${base}index.yaml`;
  return (await contentOf(bounded(url, httpFile(url, options), LARGEST_INDEX))).toString("utf8");
}

/** @throws Error naming the index that is none */
function entriesIn(url: string, text: string, chart: string, version: string): readonly IndexEntry[] {
  try {
    return entriesOf(text, chart, version);
  } catch (error) {
    throw new Error(`${url}: is no index of charts: ${messageOf(error)}`);
  }
}

interface Layer {
  readonly mediaType?: unknown;
  readonly digest?: unknown;
  readonly size?: unknown;
}

/** Layers of a manifest; none of what is no manifest. */
function layersOf(manifest: Buffer): readonly Layer[] {
  try {
    const { layers } = Object(JSON.parse(manifest.toString("utf8"))) as { readonly layers?: unknown };
    return Array.isArray(layers) ? layers.map((layer) => Object(layer) as Layer) : [];
  } catch {
    return [];
  }
}
