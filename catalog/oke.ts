import { unknownName } from "./nearest";
import table from "./oke.json";
import type { CpuArchitecture, MachineShape } from "./shapes";

/** Minor versions of Kubernetes that OKE makes new clusters with, oldest first. */
export const OKE_MINORS: readonly string[] = table.versions.minors;

/** Newest patch release of each that was read, as OKE writes it: v1.34.2. */
export const OKE_NEWEST: Readonly<Record<string, string>> = table.versions.newest;

/** Day on which the table was read. */
export const OKE_AS_OF: string = table.asOf;

/** Smallest boot volume, GiB. */
export const LEAST_BOOT_VOLUME_GIB: number = table.bootVolumes.leastGiB;

/** Value of OKE's taints. Ours match, because key and effect identify a taint. */
export const OKE_TAINT_VALUE: string = table.taints.value;

/** OKE's taint on preemptible nodes. */
export const PREEMPTIBLE_TAINT = table.taints.preemptible as { readonly key: string; readonly effect: "NoSchedule" };

/** An add-on of OKE. */
export interface OkeAddon {
  readonly name: string;
  /** Every cluster comes with it: configuring it needs `overrideExisting`. */
  readonly essential: boolean;
  /** Keys of its own configuration, besides those of all. */
  readonly keys: readonly string[];
  /** Keys of all that it does not use. @default it uses them all */
  readonly notCommon?: readonly string[];
  /** Kubernetes namespace that it makes for itself, where something of ours must be in it. */
  readonly namespace?: string;
}

// Checked against catalog/schema by test/catalog.
export const okeAddons: readonly OkeAddon[] = table.addons;

/** Configuration keys that every add-on takes. */
export const COMMON_ADDON_KEYS: readonly string[] = table.addonKeys.common;

/**
 * An add-on by its name.
 *
 * @throws Error for an unknown one, with the nearest known.
 */
export function okeAddon(name: string): OkeAddon {
  const found = okeAddons.find((addon) => addon.name === name);
  if (found === undefined) {
    const names = okeAddons.map((addon) => addon.name);
    throw unknownName("OKE add-on", name, names, "catalog/oke.json");
  }
  return found;
}

/** What OKE's name of a node image says of it. */
export interface OkeImage {
  readonly arch: CpuArchitecture;
  /** Brings NVIDIA's driver, and is for nothing but GPU shapes. */
  readonly nvidia: boolean;
  /** Of Kubernetes, without a leading v. A pool's must be the same. */
  readonly kubernetesVersion: string;
  /** 2025.11.20 */
  readonly date: string;
  readonly build: number;
}

const IMAGE_NAME = new RegExp(table.images.pattern);

/** Undefined for platform images, which install Kubernetes at boot, and custom ones. */
export function readOkeImage(name: string): OkeImage | undefined {
  const { variant, date, version, build } = IMAGE_NAME.exec(name)?.groups ?? {};
  if (date === undefined || version === undefined || build === undefined) {
    return undefined;
  }
  return {
    arch: variant === table.images.arm ? "arm64" : "amd64",
    nvidia: variant === table.images.nvidia,
    kubernetesVersion: version,
    date,
    build: Number(build),
  };
}

/** False for AMD's GPUs: their pools name an image. */
export function hasOkeImage({ gpu }: Pick<MachineShape, "gpu">): boolean {
  return gpu === undefined || gpu.vendor === "nvidia";
}

/** @param version with a leading v. */
export function okeImageFits(
  image: OkeImage,
  { gpu, cpu }: Pick<MachineShape, "gpu" | "cpu">,
  kubernetesVersion: string,
): boolean {
  return (
    image.arch === cpu.arch &&
    image.nvidia === (gpu?.vendor === "nvidia") &&
    `v${image.kubernetesVersion}` === kubernetesVersion
  );
}

/** Metadata fields with and without a capacity topology. */
export interface BlockFields {
  readonly field: string;
  readonly otherField: string;
}

/** Of a label that names blocks of Oracle's RDMA networks; undefined for any other. */
export function okeBlockFields(label: string): BlockFields | undefined {
  const labels: Readonly<Record<string, BlockFields>> = table.blockLabels.labels;
  return labels[label];
}
