import type { ChartEntry } from "../catalog/charts";
import { bounded, contentOf } from "../downloads/bounded";
import { type HttpOptions, httpFile } from "../downloads/http";
import type { Expected, Source } from "../downloads/save";
import { messageOf } from "../names/message-of";
import { withoutV } from "./archive";
import { entriesOf, type IndexEntry } from "./index-entries";
import type { Registry } from "./registry";

const CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/** Far above real charts: Helm's release Secret is limited to 1 MiB. */
const LARGEST_CHART = { bytes: 16 * 2 ** 20, seconds: 300 } as const;
/** For repositories with thousands of versions. */
const LARGEST_INDEX = { bytes: 64 * 2 ** 20, seconds: 300 } as const;
/**
 * Timeouts for the answer and for silence. Low, as previews repeat requests for uncached charts of
 * other platforms.
 */
export const PATIENCE = { answerSeconds: 6, silenceSeconds: 20 } as const;

/** Chart archive with its stated digest and size. */
export interface FoundChart {
  readonly source: Source;
  readonly expected: Expected;
}

/** OCI registries and indexed chart repositories. Fetches each index once. */
export class ChartRepositories {
  private readonly indexes = new Map<string, Promise<string>>();

  constructor(
    private readonly registry: Registry,
    private readonly options: HttpOptions = PATIENCE,
  ) {}

  /**
   * Archive of a pinned chart. Its source fails beyond the limits of size and time.
   *
   * @throws Error with the chart and the repository's alternatives.
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
    // Tags cannot contain "+"; Helm uses "_".
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

/** @throws Error for an invalid index */
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

/** Layers of a manifest; empty if invalid. */
function layersOf(manifest: Buffer): readonly Layer[] {
  try {
    const { layers } = Object(JSON.parse(manifest.toString("utf8"))) as { readonly layers?: unknown };
    return Array.isArray(layers) ? layers.map((layer) => Object(layer) as Layer) : [];
  } catch {
    return [];
  }
}
