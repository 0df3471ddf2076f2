import type { BootPart } from "./boot-part";
import { type JoinedCluster, type JoiningPool, joinPart } from "./join";
import { kubeletPart } from "./kubelet-arguments";
import { localDisksParts } from "./local-disks";

/**
 * What cloud-init does on a new node of a pool, as a cloud-config document (JSON is YAML). It replaces OKE's default, which
 * runs Oracle's start-up script and nothing else (Oracle's page "Using Custom Cloud-init Initialization Scripts to Set Up
 * Managed Nodes", read 2026-11-23); our script runs the same one, with arguments for the kubelet.
 *
 * @param kubernetesVersion with a leading v.
 * @param cluster that self-managed nodes join.
 */
export function userData(pool: JoiningPool, kubernetesVersion: string, cluster?: JoinedCluster): string {
  return cloudConfig(bootParts(pool, kubernetesVersion, cluster));
}

/** In the order in which they run: a node takes pods as soon as it has joined. */
function bootParts(pool: JoiningPool, kubernetesVersion: string, cluster: JoinedCluster | undefined): BootPart[] {
  const disks = localDisksParts(pool.plan);
  return [disks.before, kubeletPart(pool.plan), joinPart(pool, kubernetesVersion, cluster), disks.after];
}

function cloudConfig(parts: readonly BootPart[]): string {
  const document = {
    // Ubuntu's root; the script grows Oracle Linux's logical volume.
    growpart: { mode: "auto", devices: ["/"], ignore_growroot_disabled: false },
    resize_rootfs: true,
    write_files: parts.flatMap(({ files }) => files),
    runcmd: parts.flatMap(({ commands }) => commands),
  };
  return `#cloud-config\n${JSON.stringify(document, undefined, 1)}\n`;
}
