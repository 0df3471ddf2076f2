import { kubernetesMinor } from "./kubernetes-versions";

/**
 * Upper bound of Kubernetes by minor release of Rancher 2. Source: rancher/rancher,
 * chart/Chart.yaml (kubeVersion) at v2.13.8, v2.14.4 and v2.15.0, read 2026-11-29, for the server's
 * own cluster; SUSE's matrix of imported clusters was not available.
 */
const BELOW_KUBERNETES: ReadonlyMap<number, number> = new Map([
  [13, 35],
  [14, 36],
  [15, 37],
]);

/** Minor release of a Rancher server, such as 15 of "v2.15.0"; undefined for builds of branches. */
export function rancherMinor(version: string): number | undefined {
  const minor = /^v?2\.(?<minor>\d{1,3})\.\d+/.exec(version)?.groups?.minor;
  return minor === undefined ? undefined : Number(minor);
}

/** "2.15"; undefined if none that was read does. */
export function oldestRancherFor(kubernetes: string): string | undefined {
  const minor = kubernetesMinor(kubernetes);
  const [oldest] = [...BELOW_KUBERNETES].find(([, below]) => minor !== undefined && minor < below) ?? [];
  return oldest === undefined ? undefined : `2.${oldest}`;
}

/** Whether a server runs with a version of Kubernetes; undefined for releases that were not read. */
export function rancherRunsWith(server: string, kubernetes: string): boolean | undefined {
  const below = BELOW_KUBERNETES.get(rancherMinor(server) ?? -1);
  const minor = kubernetesMinor(kubernetes);
  return below === undefined || minor === undefined ? undefined : minor < below;
}
