import * as pulumi from "@pulumi/pulumi";
import { groupOf } from "../../kubernetes/object";
import type { LooseObject } from "./ignored-differences";
import type { FolderExtent } from "./projects";

/** Object before its outputs are known. */
export interface FolderObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: pulumi.Input<string>;
  /** @default it belongs to the whole cluster */
  readonly namespace?: pulumi.Input<string> | undefined;
  /** As in Pulumi's `ignoreChanges`. */
  readonly ignored: readonly string[];
}

/** A chart of the rendered folder. */
export interface FolderChart {
  /** HTTPS index, or registry without `oci://`. */
  readonly repository: string;
  readonly namespace: pulumi.Input<string>;
}

/** Objects that the program leaves to the folder. */
export interface FolderContents {
  readonly objects: readonly FolderObject[];
  readonly charts: readonly FolderChart[];
}

/** Repositories and namespaces of the folder's charts. */
export interface ChartExtent {
  readonly repositories: readonly string[];
  readonly namespaces: readonly string[];
}

/** Input of AppProjects and the root Application. */
export interface KnownFolder {
  readonly extent: FolderExtent;
  readonly charts: ChartExtent;
  readonly loose: readonly LooseObject[];
}

/** The contents with their names. */
export function knownFolder({ objects, charts }: FolderContents): pulumi.Output<KnownFolder> {
  const placed = pulumi.all(
    objects.map(({ name, namespace, ...object }) =>
      pulumi.all([name, namespace]).apply(([known, home]) => ({ ...object, name: known, namespace: home })),
    ),
  );
  const installed = pulumi.all(charts.map(({ namespace }) => namespace));
  return pulumi.all([placed, installed]).apply(([all, chartNamespaces]) => {
    const where = (isNamespaced: boolean) =>
      all
        .filter(({ namespace }) => (namespace !== undefined) === isNamespaced)
        .map(({ apiVersion, kind, name }) => ({ group: groupOf(apiVersion), kind, name }));
    return {
      extent: {
        namespaces: all.flatMap(({ namespace }) => namespace ?? []),
        clusterObjects: where(false),
        namespacedKinds: where(true),
        hasCharts: charts.length > 0,
      },
      charts: { repositories: charts.map(({ repository }) => repository), namespaces: chartNamespaces },
      loose: all,
    };
  });
}
