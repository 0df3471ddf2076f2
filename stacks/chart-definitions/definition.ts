import { parse } from "yaml";

/** A custom resource definition of a chart. */
export interface Definition {
  /** e.g. `gateways.gateway.networking.k8s.io` */
  readonly name: string;
  /** Release of Gateway API that it is of. @default it is of none */
  readonly bundleVersion?: string;
  /** The whole of it, in YAML. */
  readonly text: string;
}

/** Where Gateway API's definitions have their release (https://gateway-api.sigs.k8s.io, `pkg/consts`). */
export const BUNDLE_VERSION = "gateway.networking.k8s.io/bundle-version";

interface Head {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** The definitions in the files of a chart's `crds/`. @param files YAML of each, of one or more documents. */
export function definitionsOf(files: readonly string[]): readonly Definition[] {
  return files
    .flatMap((file) => file.split(/^---.*$/m))
    .flatMap((text) => {
      // Schemas are megabytes and come last: kind and metadata are before `spec`.
      const { kind, metadata } = (parse(text.split(/^spec:/m)[0] ?? "") ?? {}) as Head;
      if (kind !== "CustomResourceDefinition" || metadata?.name === undefined) {
        return [];
      }
      const bundleVersion = metadata.annotations?.[BUNDLE_VERSION];
      return [{ name: metadata.name, text, ...(bundleVersion !== undefined && { bundleVersion }) }];
    });
}
