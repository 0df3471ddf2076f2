import type { RecordedResource } from "../../../offline/run";
import { application, chartOf } from "../../../render/application";
import { isInCluster, toObject } from "../../../render/kubernetes-object";
import { waves } from "../../../render/waves";
import { recordedObjects } from "../../harness/recorded-objects";

/** Argo CD's wave of each object and chart of a program, by URN. */
export function wavesOf(resources: readonly RecordedResource[]): ReadonlyMap<string, number> {
  const inCluster = resources.filter(isInCluster);
  const ordered = recordedObjects(inCluster).map(({ kind, namespace, inputs, resource }) => ({
    object: kind === "Release" ? application("any", chartOf(resource.urn, inputs), {}) : toObject(resource, inputs),
    home: namespace === "" ? undefined : namespace,
    source: resource,
  }));
  const found = waves(ordered, resources);
  return new Map(ordered.map(({ source }, i) => [source.urn, found[i] ?? -1]));
}
