import table from "./bundled-engines.json";

/** An engine inside of an image that another engine names. */
export interface BundledEngine {
  /** Row of images.json, whatever its release. */
  readonly image: string;
  /** Part of pins.json that it brings. */
  readonly part: string;
  /** Oldest first. */
  readonly releases: readonly { readonly release: string; readonly brings: string }[];
  readonly source: string;
  readonly asOf: string;
}

// Checked against catalog/schema by test/catalog.
export const bundledEngines: readonly BundledEngine[] = table.images;

/** What an image brings; undefined where it is one engine alone. */
export function bundledIn(image: string): BundledEngine | undefined {
  return bundledEngines.find((entry) => entry.image === image);
}
