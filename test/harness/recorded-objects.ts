import { podTemplates } from "../../kubernetes/pod-templates";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import type { RecordedResource } from "../../offline/run";
import { podSpecs } from "../render/argo-cd/facts";

/** What a recorded resource is in a cluster: an object, or the release of a chart. */
export interface RecordedObject {
  /** `Release` for a chart. */
  readonly kind: string;
  readonly name: string;
  /** Of a chart the one that it installs into; empty for what belongs to the whole cluster. */
  readonly namespace: string;
  /** Empty for a chart. */
  readonly apiVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly inputs: RecordedResource["inputs"];
  readonly resource: RecordedResource;
}

/** The objects and charts of a program, in the order of their construction. */
export function recordedObjects(resources: readonly RecordedResource[]): RecordedObject[] {
  return resources
    .filter(({ custom, type }) => custom && type.startsWith("kubernetes:"))
    .map((resource) => {
      const { inputs } = resource;
      if (resource.type === HELM_RELEASE) {
        const { name, namespace } = inputs as { name: string; namespace: string };
        return { kind: "Release", apiVersion: "", name, namespace, labels: {}, inputs, resource };
      }
      const { kind, apiVersion, metadata } = inputs as unknown as Manifest;
      const { name, namespace = "", labels = {} } = metadata;
      return { kind, apiVersion, name, namespace, labels, inputs, resource };
    });
}

/** Pod templates in an object whose containers have an image: in others operators merge settings into pods of their own. */
export function podsOf({ inputs }: Pick<RecordedObject, "inputs">): PodOf[] {
  return podTemplates(inputs).flatMap(({ template: { metadata, spec } }) => {
    const { labels = {} } = (metadata ?? {}) as Partial<Pick<PodOf, "labels">>;
    return podSpecs(spec).length > 0 ? [{ spec, labels }] : [];
  });
}

export interface PodOf {
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: unknown;
}

interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}
