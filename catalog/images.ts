import { ownRows } from "./chosen-rows";
import type { FabricKind } from "./fabrics";
import { knownDigest, withDigest } from "./image-digests";
import table from "./images.json";
import { unknownName } from "./nearest";
import type { CpuArchitecture } from "./shapes";

/** A pinned container image. */
export interface ImageEntry {
  /** Catalogue name, e.g. "vllm-cuda". */
  readonly component: string;
  /** Registry and repository, e.g. "docker.io/vllm/vllm-openai". */
  readonly repository: string;
  /** Never "latest". */
  readonly tag: string;
  /** End of the tag, which older releases lack. */
  readonly tagSuffix?: { readonly text: string; readonly since: string };
  /** Index digest "sha256:…", where image-digests.json has it. */
  readonly digest?: string;
  /** Docker platforms, e.g. "linux/arm64". */
  readonly platforms: readonly string[];
  readonly platformsConfidence: "stated" | "inferred";
  /** Device code: from a compute capability (NVIDIA), or for targets (AMD). */
  readonly gpus?: { readonly computeCapability?: number; readonly gfx?: readonly string[]; readonly source: string };
  /** CUDA major version (source: `gpus`, or `notes`). Undefined: none, several, or unknown. */
  readonly cuda?: number;
  /** Oldest major version of NVIDIA's driver that its maintainers state. @default by its CUDA */
  readonly nvidiaDriver?: {
    readonly least: number;
    /** For cards up to a compute capability. */
    readonly oldCards?: { readonly computeCapability: number; readonly least: number };
    readonly source: string;
  };
  /** Release of ROCm that it brings, "7.2" (source: `notes`). Undefined: none, or not read. */
  readonly rocm?: string;
  /** RDMA networks that NCCL in the image has a transport for. Undefined: unknown. */
  readonly fabrics?: { readonly kinds: readonly FabricKind[]; readonly source: string };
  /** "stated": the tag was read in a source; "inferred": it follows the release form. */
  readonly confidence: "stated" | "inferred";
  readonly source: string;
  readonly asOf: string;
  readonly notes?: string;
}

// Checked against catalog/schema by test/catalog.
export const images: readonly ImageEntry[] = [
  ...(table.images as readonly Omit<ImageEntry, "digest">[]).map((entry) => {
    const digest = knownDigest(`${entry.repository}:${entry.tag}`);
    return digest === undefined ? entry : { ...entry, digest };
  }),
  ...ownRows("images"),
];

const byComponent = new Map(images.map((entry) => [entry.component, entry]));

/** @throws Error for an unknown component, with the nearest. */
export function imageEntry(component: string): ImageEntry {
  const entry = byComponent.get(component);
  if (entry === undefined) {
    throw unknownName("image", component, [...byComponent.keys()], "catalog/images.json");
  }
  return entry;
}

/**
 * "repository:tag", with "@sha256:…" if known.
 * @throws Error for an unknown component, with the nearest.
 */
export function image(component: string): string {
  const { repository, tag } = imageEntry(component);
  return withDigest(`${repository}:${tag}`);
}

/**
 * Whether its NCCL uses such RDMA networks.
 * @throws Error for an unknown component, with the nearest.
 */
export function imageUsesFabric(component: string, kind: FabricKind): boolean {
  return imageEntry(component).fabrics?.kinds.includes(kind) ?? false;
}

/** @throws Error for an unknown component, with the nearest. */
export function imageSupports(component: string, arch: CpuArchitecture): boolean {
  return imageEntry(component).platforms.includes(`linux/${arch}`);
}

/** @throws Error for an unknown component, with the nearest. */
export function imageArchitectures(component: string): string[] {
  return imageEntry(component).platforms.map((platform) => platform.replace(/^linux\//, ""));
}
