import table from "./chart-images.json";
import { type ImageMirror, mirrored, splitReference } from "./image-mirror";
import { image, imageEntry } from "./images";

/** One image of a chart, and the values that name it: of its parts, or the whole reference. */
export interface ChartImage {
  /** Row of images.json. */
  readonly component: string;
  readonly registry?: string;
  readonly repository?: string;
  /** The repository without its last name, which stands in a value of its own. */
  readonly folder?: string;
  readonly reference?: string;
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
 * The images of a pinned chart.
 *
 * @param chartName catalogue name, e.g. "gateway-helm".
 * @throws Error for a chart whose images nobody listed.
 */
export function chartImages(chartName: string): ChartImages {
  const row = rows.find(({ chart }) => chart === chartName);
  if (row === undefined) {
    throw new Error(`nobody listed the images of chart "${chartName}": add a row to catalog/chart-images.json`);
  }
  return row;
}

/**
 * The values by which a chart takes its images from a mirror, by path.
 *
 * @param pullSecret name of the Secret that opens the mirror. @default none
 */
export function chartImageValues(chartName: string, mirror: ImageMirror, pullSecret?: string): Map<string, unknown> {
  const { images, pullSecrets } = chartImages(chartName);
  const values = new Map<string, unknown>();
  for (const { component, registry, repository, folder, reference } of images) {
    const place = mirrored(imageEntry(component).repository, mirror);
    if (place === imageEntry(component).repository) {
      continue;
    }
    if (reference !== undefined) {
      values.set(reference, mirrored(image(component), mirror));
    } else if (folder !== undefined) {
      values.set(folder, place.slice(0, place.lastIndexOf("/")));
    } else if (repository !== undefined && registry !== undefined) {
      const { registry: host, path } = splitReference(place);
      values.set(registry, host).set(repository, path);
    } else if (repository !== undefined) {
      values.set(repository, place);
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

/**
 * The references that a chart renders: its defaults, or the values that a release sets in their place.
 *
 * @param chartName catalogue name.
 * @param values of the release.
 * @throws Error for a chart whose images nobody listed.
 */
export function chartImageReferences(chartName: string, values: unknown): string[] {
  const pulled = chartImages(chartName).images.filter(({ when }) => valueAt(values, when) !== false);
  return pulled.map(({ component, registry, repository, folder, reference }) => {
    const own = image(component);
    const place = textAt(values, folder);
    if (place !== undefined) {
      return `${place}${own.slice(own.lastIndexOf("/"))}`;
    }
    const whole = textAt(values, reference);
    if (whole !== undefined) {
      return whole;
    }
    const path = textAt(values, repository);
    if (path === undefined) {
      return own;
    }
    const host = textAt(values, registry);
    const tag = own.slice(own.lastIndexOf("/")).replace(/^[^:@]*/, "");
    return `${host === undefined ? "" : `${host}/`}${path}${tag}`;
  });
}

function textAt(values: unknown, path: string | undefined): string | undefined {
  const value = valueAt(values, path);
  return typeof value === "string" ? value : undefined;
}

function valueAt(values: unknown, path: string | undefined): unknown {
  return path?.split(".").reduce<unknown>((map, key) => Object(map)[key], values);
}
