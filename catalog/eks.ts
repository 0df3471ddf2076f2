import table from "./eks.json";
import type { MachineShape } from "./shapes";

/** Day on which what is here was read. */
export const EKS_AS_OF = table.asOf;

/** A minor version of Kubernetes in EKS's standard support. */
export interface EksVersion {
  readonly minor: string;
  /** Day on which standard support ends, and EKS moves clusters on. Undefined: none was read. */
  readonly ends?: string;
}

/** Those that EKS makes clusters with at the usual price, oldest first. */
export const EKS_VERSIONS: readonly EksVersion[] = table.versions.standardSupport;

/** Minor versions of Kubernetes that the Karpenter of this release runs on. */
export const KARPENTER_KUBERNETES = table.karpenter;

/** How many addresses of its subnet a node with the VPC CNI takes. */
export const EKS_PODS = table.pods;

/** Release of the AL2023 images that new clusters' nodes boot. */
export const EKS_NODE_IMAGE = table.nodeImage.release;

/**
 * Maximum pods of a node. Karpenter makes an EFA interface on the first network card too, which
 * costs pod addresses (aws/karpenter-provider-aws v1.14.1, pkg/providers/instancetype/types.go,
 * ENILimitedPods). Undefined: unknown.
 * @param efaByKarpenter whether Karpenter makes it with EFA.
 */
export function eksMaxPods(
  { maxPods, addressesPerInterface }: Pick<MachineShape, "maxPods" | "addressesPerInterface">,
  efaByKarpenter: boolean,
): number | undefined {
  return maxPods === undefined || !efaByKarpenter || addressesPerInterface === undefined
    ? maxPods
    : maxPods - (addressesPerInterface - 1);
}

type Texts = [string, ...string[]];

/** Services of Amazon's that a network can have a private address of. */
export const EKS_ENDPOINT_SERVICES = table.endpoints.services as Texts;
/** Those that nodes and the cluster's own agents use all the time. */
export const EKS_USUAL_ENDPOINTS = table.endpoints.usual as Texts;

/** Days for which a log group can keep what it gets. */
export const EKS_LOG_DAYS = table.logDays.values as [number, ...number[]];

/** Add-ons of Amazon's that every cluster has. */
export const EKS_ADDON_NAMES = [
  "aws-ebs-csi-driver",
  "coredns",
  "eks-pod-identity-agent",
  "kube-proxy",
  "metrics-server",
  "vpc-cni",
] as const;
export type EksAddonName = (typeof EKS_ADDON_NAMES)[number];

/** Versions of Kubernetes whose add-ons' versions are known: 1.34. */
export const EKS_ADDON_KUBERNETES: readonly string[] = Object.keys(table.addons.versions);

/** Undefined: unknown, and Amazon chooses. */
export function eksAddonVersion(kubernetesVersion: string, addon: EksAddonName): string | undefined {
  const versions: Readonly<Record<string, Readonly<Record<EksAddonName, string>>>> = table.addons.versions;
  return versions[kubernetesVersion]?.[addon];
}

interface GpuImage {
  readonly image: string;
  readonly families: readonly string[];
}

const GPU_IMAGES: Readonly<Record<string, GpuImage>> = table.nodeImages.gpu;

/** `p5` of `p5.48xlarge`. */
export function instanceFamily(shape: string): string {
  return shape.slice(0, shape.indexOf("."));
}

/** AMI type of a managed node group. Undefined: none has drivers. */
export function eksImageType({ name, gpu, cpu }: Pick<MachineShape, "name" | "gpu" | "cpu">): string | undefined {
  if (gpu === undefined) {
    return table.nodeImages.standard[cpu.arch];
  }
  const found = GPU_IMAGES[cpu.arch];
  return found?.families.includes(instanceFamily(name)) ? found.image : undefined;
}

/** A quota of EC2's, on the CPUs of machines that run at once in a region. */
export interface EksQuota {
  /** By which Service Quotas knows it. */
  readonly code: string;
  /** As its console has it. */
  readonly name: string;
}

const QUOTA_LETTERS = ["g", "p"] as const;

/** The quota that machines of a shape count against. */
export function eksQuota(shape: string, bought: "onDemand" | "spot"): EksQuota {
  const letter = QUOTA_LETTERS.find((each) => shape.startsWith(each)) ?? "standard";
  return table.quotas[bought][letter];
}

/** Oldest AL2023 release with the family's driver; undefined: all. */
export function firstNodeImage(shape: string): string | undefined {
  const first: Readonly<Record<string, string>> = table.nodeImages.firstRelease;
  return first[instanceFamily(shape)];
}
