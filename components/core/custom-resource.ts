import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../names/labels";

/** `T` with inputs for all values. */
export type DeepInput<T> = T extends string | number | boolean | null | undefined
  ? pulumi.Input<T>
  : pulumi.Input<{ [K in keyof T]: DeepInput<T[K]> }>;

/** Base of custom resource types generated from CRD schemas. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: object;
  readonly spec?: object;
}

export interface CustomResourceArgs<M extends Manifest> {
  readonly apiVersion: M["apiVersion"];
  readonly kind: M["kind"];
  readonly name: string;
  readonly namespace?: pulumi.Input<string>;
  /** @default the standard labels, with the kind as application name */
  readonly labels?: Labels;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: DeepInput<NonNullable<M["spec"]>>;
}

/**
 * A custom resource with a spec typed by its CRD: `customResource<IHTTPRoute>(…)`. Tests validate
 * rendered objects against the CRD schema.
 */
export function customResource<M extends Manifest>(
  logicalName: string,
  args: CustomResourceArgs<M>,
  opts: pulumi.CustomResourceOptions,
): kubernetes.apiextensions.CustomResource {
  return new kubernetes.apiextensions.CustomResource(
    logicalName,
    {
      apiVersion: args.apiVersion,
      kind: args.kind,
      metadata: {
        name: args.name,
        ...(args.namespace !== undefined && { namespace: args.namespace }),
        labels: { ...(args.labels ?? standardLabels(args.kind.toLowerCase(), args.name)) },
        ...(args.annotations && { annotations: { ...args.annotations } }),
      },
      spec: args.spec,
    },
    opts,
  );
}
