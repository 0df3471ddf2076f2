import { chartImages, chartNameOf } from "../catalog/chart-images";
import { image } from "../catalog/images";
import { HELM_RELEASE } from "../kubernetes/resource-types";
import type { RecordedResource } from "../offline/run";

/** A container image that an environment pulls. */
export interface UsedImage {
  readonly image: string;
  /** Names of the resources that use it. */
  readonly usedBy: readonly string[];
}

/**
 * Every image of an environment by its reference: of pods, of what controllers start, and of charts. What a mirror for a site
 * without internet must hold.
 */
export function usedImages(resources: readonly RecordedResource[]): UsedImage[] {
  const users = new Map<string, Set<string>>();
  for (const resource of resources) {
    const found = resource.type === HELM_RELEASE ? chartReferences(resource) : imagesIn(resource.inputs);
    for (const reference of found) {
      users.set(reference, (users.get(reference) ?? new Set()).add(resource.name));
    }
  }
  return [...users]
    .map(([reference, names]) => ({ image: reference, usedBy: [...names].sort() }))
    .sort((a, b) => (a.image < b.image ? -1 : 1));
}

/** Strings under the key `image`, wherever they stand: containers of pods and templates, proxies of Envoy Gateway. */
function imagesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    key === "image" && typeof item === "string" ? [item] : imagesIn(item),
  );
}

/** The references that a chart renders: its defaults, or the values that the release sets in their place. */
function chartReferences({ inputs }: RecordedResource): string[] {
  const name = chartNameOf(String(inputs.chart));
  if (name === undefined) {
    return [];
  }
  const pulled = chartImages(name).images.filter(({ when }) => valueAt(inputs.values, when) !== false);
  return pulled.map(({ component, registry, repository, folder, reference }) => {
    const own = image(component);
    const place = textAt(inputs.values, folder);
    if (place !== undefined) {
      return `${place}${own.slice(own.lastIndexOf("/"))}`;
    }
    const whole = textAt(inputs.values, reference);
    if (whole !== undefined) {
      return whole;
    }
    const path = textAt(inputs.values, repository);
    if (path === undefined) {
      return own;
    }
    const host = textAt(inputs.values, registry);
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
