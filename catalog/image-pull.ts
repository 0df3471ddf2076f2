import table from "./image-pull.json";

/** What of an image goes over the network. */
export interface ImagePull {
  /** Catalogue name of the image. */
  readonly component: string;
  readonly compressedGB: number;
  readonly confidence: "read" | "assumed";
  readonly source: string;
}

// Checked against catalog/schema by test/catalog.
export const imagePulls = table.images as readonly ImagePull[];

/** A single stream rarely fills a link: share of its nominal rate to count on. */
export const LINK_EFFICIENCY = 0.6;

/**
 * Pull time on a node without the image.
 * @param component catalogue name.
 * @param linkGbps of the node to the registry, Gbit/s.
 */
export function imagePullSeconds(component: string, linkGbps: number): number {
  const { compressedGB } = imagePulls.find((row) => row.component === component) ?? table.others;
  return compressedGB / Math.min((linkGbps * LINK_EFFICIENCY) / 8, table.gbPerSecond.value);
}
