import type { BootPart } from "./boot-part";
import { type JoinedCluster, type JoiningPool, joinPart } from "./join";
import { kubeletPart } from "./kubelet-arguments";
import { localDisksParts } from "./local-disks";

/**
 * cloud-config document of a pool (JSON is YAML). Replaces OKE's default, which only runs Oracle's
 * start-up script (Oracle's page "Using Custom Cloud-init Initialization Scripts to Set Up Managed
 * Nodes", read 2026-11-23); this one adds kubelet arguments.
 *
 * @param kubernetesVersion with a leading v.
 * @param cluster that self-managed nodes join.
 */
export function userData(pool: JoiningPool, kubernetesVersion: string, cluster?: JoinedCluster): string {
  return cloudConfig(bootParts(pool, kubernetesVersion, cluster));
}

/** In execution order: a joined node accepts pods immediately. */
function bootParts(pool: JoiningPool, kubernetesVersion: string, cluster: JoinedCluster | undefined): BootPart[] {
  const disks = localDisksParts(pool.plan);
  return [disks.before, kubeletPart(pool.plan), joinPart(pool, kubernetesVersion, cluster), disks.after];
}

function cloudConfig(parts: readonly BootPart[]): string {
  const document = {
    // Root of Ubuntu; the script extends Oracle Linux's logical volume.
    growpart: { mode: "auto", devices: ["/"], ignore_growroot_disabled: false },
    resize_rootfs: true,
    write_files: parts.flatMap(({ files }) => files),
    runcmd: parts.flatMap(({ commands }) => commands),
  };
  return `#cloud-config\n${JSON.stringify(document, undefined, 1)}\n`;
}
