import { onPremNode } from "../../../../catalog/shapes";
import type { K3sSettings } from "../../../../components/cluster/k3s/settings";

/** A machine of one's own. */
export const MACHINE = onPremNode({
  card: "rtx-4090",
  gpuCount: 2,
  vcpus: 32,
  memoryGiB: 128,
  localNvmeGB: 2000,
  networkGbps: 10,
});

/** Settings of a machine, for tests that look at one of them. */
export function settings(changes: Partial<K3sSettings> = {}): K3sSettings {
  return {
    environment: "edge-test",
    host: {
      name: "workstation",
      address: "gpu-box.example.internal",
      user: "ops",
      port: 22,
      hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs",
      privateKey: undefined,
      privateKeyPassphrase: undefined,
      password: undefined,
    },
    production: false,
    arch: "amd64",
    requirements: { pool: "workstation", arch: "amd64", vcpus: 32, memoryGiB: 128, diskGB: 2000 },
    labels: {},
    serverNames: [],
    namespaces: [],
    kubelet: { pool: { shape: MACHINE }, leavingSeconds: 90 },
    images: {},
    bundle: undefined,
    ...changes,
  };
}
