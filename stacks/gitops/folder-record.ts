import type * as pulumi from "@pulumi/pulumi";
import type { FolderChart, FolderContents, FolderObject } from "../../components/argo-cd/folder-contents";
import { chartSource } from "../../kubernetes/chart-source";
import { ownerOfTypes } from "../../kubernetes/owner";
import { isPlain } from "../../kubernetes/plain";
import { HELM_RELEASE } from "../../kubernetes/resource-types";

/** Records resources of the rendered folder in one place, so that no component can be forgotten. */
export class FolderRecord {
  /** Types of each resource and its parents. */
  private readonly lineages = new Map<pulumi.Resource, readonly string[]>();
  private readonly objects: FolderObject[] = [];
  private readonly charts: FolderChart[] = [];

  /** So far. */
  get contents(): FolderContents {
    return { objects: [...this.objects], charts: [...this.charts] };
  }

  /** The platform's, before the transformation of charts' sources. */
  readonly transformation: pulumi.ResourceTransformation = ({ resource, type, name, props, opts }) => {
    const types = [...((opts.parent && this.lineages.get(opts.parent)) ?? []), type];
    this.lineages.set(resource, types);
    if (ownerOfTypes(types) === "up") {
      return undefined;
    }
    if (type === HELM_RELEASE) {
      this.charts.push(chartOf(name, props));
    } else {
      this.objects.push(objectOf(name, props, opts.ignoreChanges ?? []));
    }
    return undefined;
  };
}

function chartOf(name: string, { chart, repositoryOpts, namespace }: pulumi.Inputs): FolderChart {
  const { repository } = chartSource(String(chart), isPlain(repositoryOpts) ? repositoryOpts.repo : undefined);
  if (repository === undefined) {
    throw new Error(`Helm release "${name}" names no repository of its chart`);
  }
  return { repository, namespace };
}

function objectOf(
  name: string,
  { apiVersion, kind, metadata }: pulumi.Inputs,
  ignored: readonly string[],
): FolderObject {
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isPlain(metadata)) {
    throw new Error(`"${name}" has no apiVersion, kind and metadata that are known before deployment`);
  }
  return {
    apiVersion,
    kind,
    name: metadata.name as pulumi.Input<string>,
    namespace: metadata.namespace as pulumi.Input<string> | undefined,
    ignored,
  };
}
