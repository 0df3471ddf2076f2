/** `storage.imageVolumes`: clusters that mount images, and settings that only Jobs read. */
import { K3S_VERSION } from "../../../catalog/k3s";
import { kubernetesMinor } from "../../../catalog/kubernetes-versions";
import type { Rule, RuleContext } from "../core/rule";
import { OWN_WEIGHTS_PAGE } from "../own-weights-page";
import { sourceRegistry } from "../source-registry";

/** On by default from here on (kubernetes.io, Use an Image Volume With a Pod; feature gate ImageVolume; read 2026-12-01). */
const LEAST_MINOR = 35;

const OPTION = ["storage", "imageVolumes"];

export const imageVolumesAreServed: Rule = function* ({ sections: { cluster, models, storage } }) {
  if (!storage?.imageVolumes) {
    return;
  }
  const version = madeVersion(cluster);
  const minor = version === undefined ? undefined : kubernetesMinor(version);
  if (minor !== undefined && minor < LEAST_MINOR) {
    yield {
      path: OPTION,
      value: true,
      allowed: `Kubernetes 1.${LEAST_MINOR} or later, where image volumes are on: the cluster gets ${version}`,
      fix: `write kubernetesVersion: 1.${LEAST_MINOR} or later, or remove imageVolumes: Jobs copy artifacts on any version`,
    };
  }
  if (models !== undefined && !Object.values(models).some((model) => sourceRegistry(model) !== undefined)) {
    yield {
      path: OPTION,
      value: true,
      allowed: "only with a model that names source: oci://registry/repository:tag",
      fix: `remove it, or name an image in a model (${OWN_WEIGHTS_PAGE})`,
    };
  }
};

/** Kubelets log in with the platform's own secret, and trust the authorities of their nodes. */
export const imageVolumesUseTheNodesAccess: Rule = function* ({ sections: { storage } }) {
  for (const [host, registry] of Object.entries(storage?.imageVolumes ? storage.registries : {})) {
    for (const key of ["secretKey", "caFile"] as const) {
      if (registry[key] !== undefined) {
        yield {
          path: ["storage", "registries", host, key],
          value: registry[key],
          allowed: "nothing with imageVolumes: kubelets pull, and no Job reads it",
          fix:
            key === "secretKey"
              ? `remove it, and set the secret registryCredentials with a login for ${host}`
              : "remove it, and install the authority on the nodes",
        };
      }
    }
  }
};

function madeVersion(cluster: RuleContext["sections"]["cluster"]): string | undefined {
  if (cluster?.provision !== "create") {
    return undefined;
  }
  switch (cluster.kind) {
    case "oci":
      return cluster.oke?.kubernetesVersion;
    case "aws":
      return cluster.eks?.kubernetesVersion;
    case "edge":
      return K3S_VERSION;
    default:
      return undefined;
  }
}
