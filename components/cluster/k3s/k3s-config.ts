/** Files that set k3s up. Pure. */
import { stringify } from "yaml";
import type { HostFile } from "./host-script";
import type { K3sSettings } from "./settings";

/** Where k3s reads its settings. */
export const K3S_CONFIG = "/etc/rancher/k3s/config.yaml";

/** Every file that must be there before k3s starts for the first time. */
export function k3sFiles(settings: K3sSettings): readonly HostFile[] {
  return [{ path: K3S_CONFIG, mode: "0600", content: stringify(k3sConfig(settings)) }];
}

function k3sConfig({ host, labels, serverNames }: K3sSettings): object {
  return {
    "node-name": host.name,
    "write-kubeconfig-mode": "0600",
    "tls-san": [host.address, ...serverNames],
    "secrets-encryption": true,
    disable: ["traefik"],
    "node-label": Object.entries(labels).map(([key, value]) => `${key}=${value}`),
  };
}
