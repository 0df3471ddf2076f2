import table from "./chart-images.json";
import { type ImageMirror, mirrored, splitReference } from "./image-mirror";
import { image, imageEntry } from "./images";

/** Values that name an image, in parts or as a whole. */
export interface ChartImage {
  /** Row of images.json. */
  readonly component: string;
  readonly registry?: string;
  readonly repository?: string;
  /** The repository without its last name, which has its own value. */
  readonly folder?: string;
  readonly reference?: string;
  /** The tag; without a value for the digest "@sha256:…" may follow it. */
  readonly tag?: string;
  /** The digest, "sha256:…". @default the chart has no value for it */
  readonly digest?: string;
  /** A switch: where it is off, nothing pulls the image. @default it is always pulled */
  readonly when?: string;
}

export interface ChartImages {
  readonly chart: string;
  readonly images: readonly ChartImage[];
  /** The values for pull secrets: lists of references (`[{name}]`), lists of names, or one name. */
  readonly pullSecrets?: {
    readonly references?: string;
    readonly names?: string | readonly string[];
    readonly name?: string;
  };
  /** Images of parts that are off, by the beginning of their values, with the reason. */
  readonly unused: Readonly<Record<string, string>>;
}

// Checked against catalog/schema by test/catalog.
const rows = table.charts as readonly object[] as readonly ChartImages[];

/** Catalogue names of the charts that a platform may install. */
export const installedCharts: readonly string[] = rows.map(({ chart }) => chart);

/**
 * @param chartName catalogue name, e.g. "gateway-helm".
 * @throws Error for a chart whose images are not listed.
 */
export function chartImages(chartName: string): ChartImages {
  const row = rows.find(({ chart }) => chart === chartName);
  if (row === undefined) {
    throw new Error(`chart "${chartName}" has no row in catalog/chart-images.json: add its images there`);
  }
  return row;
}

/**
 * Values for a mirror, with known digests, by path.
 * @param pullSecret of the mirror.
 * @default none
 */
export function chartImageValues(chartName: string, mirror: ImageMirror, pullSecret?: string): Map<string, unknown> {
  const { images, pullSecrets } = chartImages(chartName);
  const values = new Map<string, unknown>();
  for (const image of images) {
    for (const [path, value] of imageValues(image, mirror)) {
      values.set(path, value);
    }
  }
  if (pullSecret !== undefined && pullSecrets?.references !== undefined) {
    values.set(pullSecrets.references, [{ name: pullSecret }]);
  }
  for (const names of pullSecret === undefined ? [] : [pullSecrets?.names ?? []].flat()) {
    values.set(names, [pullSecret]);
  }
  if (pullSecret !== undefined && pullSecrets?.name !== undefined) {
    values.set(pullSecrets.name, pullSecret);
  }
  return values;
}

function imageValues(row: ChartImage, mirror: ImageMirror): [path: string, value: string][] {
  const { repository: upstream, digest } = imageEntry(row.component);
  const isMoved = mirrored(upstream, mirror) !== upstream;
  if (row.reference !== undefined) {
    return isMoved || digest !== undefined ? [[row.reference, mirrored(image(row.component), mirror)]] : [];
  }
  // Some templates look at the tag only where the repository is set with it (gateway-helm, eg.image).
  const isPlaced = isMoved || (digest !== undefined && row.tag !== undefined);
  return [...(isPlaced ? placeValues(row, mirror) : []), ...digestValues(row)];
}

function placeValues({ component, registry, repository, folder }: ChartImage, mirror: ImageMirror): [string, string][] {
  const place = mirrored(imageEntry(component).repository, mirror);
  if (folder !== undefined) {
    return [[folder, place.slice(0, place.lastIndexOf("/"))]];
  }
  if (repository === undefined) {
    return [];
  }
  const { registry: host, path } = splitReference(place);
  return registry === undefined
    ? [[repository, place]]
    : [
        [registry, host],
        [repository, path],
      ];
}

function digestValues({ component, tag: tagKey, digest: digestKey }: ChartImage): [string, string][] {
  const { tag, digest } = imageEntry(component);
  if (digest === undefined) {
    return [];
  }
  const own: [string, string][] = digestKey === undefined ? [] : [[digestKey, digest]];
  const tagged = digestKey === undefined ? `${tag}@${digest}` : tag;
  return tagKey === undefined ? own : [...own, [tagKey, tagged]];
}

/**
 * Rendered references, from defaults or a release's values.
 * @param chartName catalogue name.
 * @param values of the release.
 * @throws Error for a chart whose images are not listed.
 */
export function chartImageReferences(chartName: string, values: unknown): string[] {
  const pulled = chartImages(chartName).images.filter(({ when }) => valueAt(values, when) !== false);
  return pulled.map((row) => {
    const { repository, tag } = imageEntry(row.component);
    const whole = textAt(values, row.reference);
    if (whole !== undefined) {
      return whole;
    }
    const digest = textAt(values, row.digest);
    const own = `${repository}:${textAt(values, row.tag) ?? tag}${digest === undefined ? "" : `@${digest}`}`;
    const name = own.slice(own.lastIndexOf("/"));
    const folder = textAt(values, row.folder);
    const path = textAt(values, row.repository);
    if (folder !== undefined || path === undefined) {
      return folder === undefined ? own : `${folder}${name}`;
    }
    const host = textAt(values, row.registry);
    return `${host === undefined ? "" : `${host}/`}${path}${name.replace(/^[^:]*/, "")}`;
  });
}

function textAt(values: unknown, path: string | undefined): string | undefined {
  const value = valueAt(values, path);
  return typeof value === "string" ? value : undefined;
}

function valueAt(values: unknown, path: string | undefined): unknown {
  return path?.split(".").reduce<unknown>((map, key) => Object(map)[key], values);
}
