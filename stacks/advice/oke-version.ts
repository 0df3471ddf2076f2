import { compareReleases } from "../../catalog/advisories";
import { isSupportedKubernetes, kubernetesMinor } from "../../catalog/kubernetes-versions";
import { OKE_AS_OF, OKE_MINORS, OKE_NEWEST } from "../../catalog/oke";
import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/**
 * A version that OKE soon drops, or an outdated patch release. By the catalogue, not today, so that
 * plans are reproducible.
 */
export function okeVersion({
  environment: { cluster },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster">;
}): CapacityProblem[] {
  const said = cluster.kind === "oci" && cluster.provision === "create" ? cluster.oke?.kubernetesVersion : undefined;
  const minor = `1.${kubernetesMinor(said ?? "")}`;
  const newest = OKE_NEWEST[minor];
  if (said === undefined || newest === undefined) {
    return [];
  }
  const next = OKE_MINORS[OKE_MINORS.indexOf(minor) + 1];
  const nextNewest = next === undefined || !isSupportedKubernetes(next) ? undefined : OKE_NEWEST[next];
  const isOldest = minor === OKE_MINORS[0];
  const message =
    isOldest && nextNewest !== undefined
      ? `Kubernetes ${minor} is the oldest that OKE makes clusters with, as of ${OKE_AS_OF}: with its next version, ${minor} has 30 days of support left. Write kubernetesVersion: ${nextNewest}; it goes up by one minor version at a time.`
      : compareReleases(said, newest) < 0
        ? `${said} is not the newest patch release of Kubernetes ${minor} on OKE, as of ${OKE_AS_OF}. Write kubernetesVersion: ${newest}.`
        : undefined;
  return message === undefined
    ? []
    : [{ severity: "advisory", rule: "oke-version", subject: "cluster.oke.kubernetesVersion", message }];
}
