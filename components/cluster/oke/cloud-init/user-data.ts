import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../../names/repository-root";
import { kubeletArguments } from "../kubelet";
import type { OkePool } from "../settings";

const SCRIPT = "/usr/local/sbin/join-oke.sh";
const KUBELET_ARGUMENTS = "/etc/inference-stacks/kubelet-arguments";

/**
 * What cloud-init does on a new node of a pool, as a cloud-config document (JSON is YAML). It replaces OKE's default, which
 * runs Oracle's start-up script and nothing else (Oracle's page "Using Custom Cloud-init Initialization Scripts to Set Up
 * Managed Nodes", read 2026-11-23); our script runs the same one, with arguments for the kubelet.
 *
 * @param kubernetesVersion with a leading v.
 */
export function userData(
  { plan, computeCluster }: Pick<OkePool, "plan" | "computeCluster">,
  kubernetesVersion: string,
): string {
  const document = {
    // Ubuntu's root; the script grows Oracle Linux's logical volume.
    growpart: { mode: "auto", devices: ["/"], ignore_growroot_disabled: false },
    resize_rootfs: true,
    write_files: [
      file(KUBELET_ARGUMENTS, "0644", `${kubeletArguments(plan).join("\n")}\n`),
      file(SCRIPT, "0700", readFileSync(joinScriptPath(), "utf8")),
    ],
    runcmd: [["bash", SCRIPT, KUBELET_ARGUMENTS, kubernetesVersion, ...(computeCluster ? ["unlimited"] : [])]],
  };
  return `#cloud-config\n${JSON.stringify(document, undefined, 1)}\n`;
}

/** The script that every node runs, in this repository. */
export function joinScriptPath(): string {
  return join(repositoryRoot(), "components", "cluster", "oke", "cloud-init", "join-oke.sh");
}

function file(path: string, permissions: string, content: string) {
  return { path, permissions, owner: "root:root", content };
}
