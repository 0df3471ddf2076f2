import type { Taint } from "../../../planner/types";
import { pinnedCpus } from "../cpu-placement";
import type { EksPool } from "./settings";

/** Root disk of AL2023 (awslabs/amazon-eks-ami@81fec2e). */
export const ROOT_DEVICE = "/dev/xvda";

/** Type of a part of user data that nodeadm reads. */
const MEDIA_TYPE = "application/node.eks.aws";
const BOUNDARY = "==inference-stacks==";

/**
 * What nodeadm is told of a pool's nodes besides what EKS, or Karpenter, tells it: both merge it with theirs. JSON is read as
 * YAML is. By awslabs/amazon-eks-ami@81fec2e, nodeadm/api/v1alpha1 and internal/api/bridge/decode.go.
 *
 * CPUs of their own for the engines, and CPUs and devices of a whole pod from one set of memory nodes, as on OKE. Which CPUs
 * the system keeps is not named: the kubelet refuses that beside the cgroups that nodeadm gives the system (its
 * internal/kubelet/config.go). It takes as many as nodeadm reserves, less than what plans count with.
 *
 * Local disks become one array that holds pods' files, images and logs. Nobody encrypts it again: a hardware module of the
 * machine does, with keys that are gone with it (EC2 User Guide, data protection: XTS-AES-256; read 2026-11-23).
 *
 * @param registered taints that the kubelet registers its node with. @default none: whoever makes the nodes sets them
 * @returns undefined where there is nothing to tell.
 */
export function nodeConfig({ plan }: Pick<EksPool, "plan">, registered: readonly Taint[] = []): string | undefined {
  const kubelet = {
    ...(plan.numa !== undefined && { config: pinnedCpus(plan) }),
    ...(registered.length > 0 && { flags: [`--register-with-taints=${registered.map(taintText).join(",")}`] }),
  };
  const spec = {
    ...(Object.keys(kubelet).length > 0 && { kubelet }),
    ...(plan.localDisks && { instance: { localStorage: { strategy: "RAID0" } } }),
  };
  return Object.keys(spec).length === 0
    ? undefined
    : JSON.stringify({ apiVersion: "node.eks.aws/v1alpha1", kind: "NodeConfig", spec });
}

/** A part for nodeadm in the form that EKS merges with its own: several parts in one (EKS User Guide, launch-templates). */
export function multipart(config: string): string {
  return [
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
    "",
    `--${BOUNDARY}`,
    `Content-Type: ${MEDIA_TYPE}`,
    "",
    config,
    `--${BOUNDARY}--`,
    "",
  ].join("\n");
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}=${value ?? ""}:${effect}`;
}
