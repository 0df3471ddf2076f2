import type { Taint } from "../../../planner/types";
import { pinnedCpus } from "../cpu-placement";
import type { EksPool } from "./settings";

/** Root disk of AL2023 (awslabs/amazon-eks-ami@81fec2e). */
export const ROOT_DEVICE = "/dev/xvda";

/** MIME type of user data for nodeadm. */
const MEDIA_TYPE = "application/node.eks.aws";
const BOUNDARY = "==inference-stacks==";

/**
 * nodeadm configuration of a pool, merged with that of EKS or Karpenter. JSON is read as YAML
 * (awslabs/amazon-eks-ami@81fec2e, nodeadm/api/v1alpha1 and internal/api/bridge/decode.go).
 *
 * CPU pinning as on OKE. The kubelet refuses named system CPUs with nodeadm's cgroups (its
 * internal/kubelet/config.go), and reserves as many as nodeadm, fewer than plans assume.
 *
 * Local disks become one array, encrypted by hardware with keys that end with the machine (EC2 User
 * Guide, data protection: XTS-AES-256; read 2026-11-23).
 *
 * @param registered taints that the kubelet registers.
 * @default none: the provisioner sets them
 * @returns undefined if there is nothing to configure.
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

/**
 * User data for nodeadm as multipart, which EKS merges with its own (EKS User Guide,
 * launch-templates).
 */
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
