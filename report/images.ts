import { chartNameOf } from "../catalog/chart-archive";
import { chartImageReferences } from "../catalog/chart-images";
import { imagesIn } from "../kubernetes/images";
import { HELM_RELEASE } from "../kubernetes/resource-types";
import type { RecordedResource } from "../offline/run";

/** A container image that an environment pulls. */
export interface UsedImage {
  readonly image: string;
  /** Names of the resources that use it. */
  readonly usedBy: readonly string[];
}

/** Of pods, controllers and charts: the content of a mirror without internet. */
export function usedImages(resources: readonly RecordedResource[]): UsedImage[] {
  const users = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const reference of imagesOf(resource)) {
      users.set(reference, (users.get(reference) ?? new Set()).add(resource.name));
    }
  }
  return [...users]
    .map(([reference, names]) => ({ image: reference, usedBy: [...names].sort() }))
    .sort((a, b) => (a.image < b.image ? -1 : 1));
}

function imagesOf({ type, inputs }: RecordedResource): string[] {
  const chart = type === HELM_RELEASE ? chartNameOf(String(inputs.chart)) : undefined;
  return chart === undefined
    ? imagesIn(type === HELM_RELEASE ? {} : inputs)
    : chartImageReferences(chart, inputs.values);
}
