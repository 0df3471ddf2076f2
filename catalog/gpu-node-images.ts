import table from "./gpu-node-images.json";

/** What GPU nodes boot, by the name that `cluster.gpuNodeImage` has for it. */
export const GPU_NODE_IMAGES = ["al2023", "bottlerocket", "oke-oracle-linux", "oke-ubuntu", "k3s", "bare"] as const;

export type GpuNodeImage = (typeof GPU_NODE_IMAGES)[number];

/** What nodes with NVIDIA cards bring themselves. */
export interface GpuNodeImageEntry {
  readonly name: GpuNodeImage;
  readonly what: string;
  /** The kernel driver and its libraries. */
  readonly driver: boolean;
  /** NVIDIA's container toolkit, set up in the container runtime. */
  readonly toolkit: boolean;
  /** A device plugin outside of Kubernetes: it excludes everything of the GPU operator. */
  readonly devicePlugin: boolean;
  readonly source: string;
  readonly asOf: string;
}

// Checked against catalog/schema by test/catalog.
export const gpuNodeImages = table.images as readonly GpuNodeImageEntry[];

/** What nodes of an image bring. */
export function gpuNodeImage(name: GpuNodeImage): GpuNodeImageEntry {
  const found = gpuNodeImages.find((image) => image.name === name);
  if (found === undefined) {
    throw new Error(`catalog/gpu-node-images.json has no row for "${name}"`);
  }
  return found;
}

/** What GPU nodes boot by default, by kind of cluster. A local one may be anything. */
export const DEFAULT_GPU_NODE_IMAGE = {
  aws: "al2023",
  oci: "oke-oracle-linux",
  edge: "k3s",
  local: undefined,
} as const satisfies Record<string, GpuNodeImage | undefined>;

/** Images of one cloud. The others boot anywhere. */
const CLOUD_OF: Partial<Record<GpuNodeImage, "aws" | "oci">> = {
  al2023: "aws",
  bottlerocket: "aws",
  "oke-oracle-linux": "oci",
  "oke-ubuntu": "oci",
};

/** Undefined for what boots anywhere. */
export function cloudOfGpuNodeImage(image: GpuNodeImage): "aws" | "oci" | undefined {
  return CLOUD_OF[image];
}

/** A cloud's own images; any for a local cluster. */
export function gpuNodeImagesOf(kind: unknown): GpuNodeImage[] {
  return kind === "aws" || kind === "oci" || kind === "edge"
    ? GPU_NODE_IMAGES.filter((image) => (CLOUD_OF[image] ?? kind) === kind)
    : [...GPU_NODE_IMAGES];
}
