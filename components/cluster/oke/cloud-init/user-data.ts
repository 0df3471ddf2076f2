import type { OkePool } from "../settings";
import type { BootPart } from "./boot-part";
import { joinPart } from "./join";

/**
 * What cloud-init does on a new node of a pool, as a cloud-config document (JSON is YAML). It replaces OKE's default, which
 * runs Oracle's start-up script and nothing else (Oracle's page "Using Custom Cloud-init Initialization Scripts to Set Up
 * Managed Nodes", read 2026-11-23); our script runs the same one, with arguments for the kubelet.
 *
 * @param kubernetesVersion with a leading v.
 */
export function userData(pool: Pick<OkePool, "plan" | "computeCluster">, kubernetesVersion: string): string {
  return cloudConfig(bootParts(pool, kubernetesVersion));
}

/** In the order in which they run. Joining is last: a node takes pods as soon as it has joined. */
function bootParts(pool: Pick<OkePool, "plan" | "computeCluster">, kubernetesVersion: string): BootPart[] {
  return [joinPart(pool, kubernetesVersion)];
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
