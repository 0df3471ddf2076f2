import { parse } from "yaml";

export interface Definition {
  /** e.g. `gateways.gateway.networking.k8s.io` */
  readonly name: string;
  /** Its Gateway API release. @default none */
  readonly bundleVersion?: string;
  /** Whole YAML. */
  readonly text: string;
}

/** Annotation with Gateway API's release (https://gateway-api.sigs.k8s.io, `pkg/consts`). */
export const BUNDLE_VERSION = "gateway.networking.k8s.io/bundle-version";

interface Head {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** From a chart's `crds/`. @param files YAML of each, of one or more documents. */
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
