import {
  isSupportedKubernetes,
  kubernetesMinor,
  SUPPORTED_KUBERNETES_BY,
  supportedKubernetes,
} from "../../../catalog/kubernetes-versions";
import { someOf } from "../../cluster/foreign-text";
import { type Check, failed, judged, passed, unknown, warning } from "./check";

/**
 * Allowed kubelet lag in minor versions: https://kubernetes.io/releases/version-skew-policy (read
 * 2026-11-23).
 */
const OLDEST_KUBELET = 3;

export const kubernetesVersion: Check = ({ version }) => [
  judged(
    {
      check: "kubernetes-version",
      title: "Kubernetes",
      needed: `${supportedKubernetes()} (${SUPPORTED_KUBERNETES_BY})`,
    },
    version,
    (found) => {
      const supported = isSupportedKubernetes(found);
      if (supported === undefined) {
        return unknown(`${found}, which is no version that doctor knows`, "kubectl version");
      }
      return supported
        ? passed(found)
        : failed(
            found,
            `upgrade the control plane, one minor version at a time, to ${supportedKubernetes()}; or take another cluster`,
          );
    },
  ),
];

/** Nodes may lag behind the control plane, never lead. */
export const kubeletVersions: Check = ({ version, nodes }) => {
  const server = version.known ? kubernetesMinor(version.value) : undefined;
  const subject = {
    check: "kubelet-versions",
    title: "Kubelets",
    needed: `not newer than the control plane, and at most ${OLDEST_KUBELET} minor versions older`,
  };
  return [
    judged(subject, nodes, (all) => {
      const told = all.flatMap(({ name, kubeletVersion = "" }) => {
        const minor = kubernetesMinor(kubeletVersion);
        return minor === undefined ? [] : [{ name, kubeletVersion, minor }];
      });
      if (told.length === 0 || server === undefined) {
        return { status: "not asked", found: all.length === 0 ? "no node yet" : "no node says its version" };
      }
      const wrong = told.filter(({ minor }) => minor > server || minor < server - OLDEST_KUBELET);
      if (wrong.length > 0) {
        return failed(
          someOf(wrong.map(({ name, kubeletVersion }) => `${name} has ${kubeletVersion}`)),
          "upgrade or replace these nodes: kubelets that far from their control plane are not supported",
        );
      }
      const behind = told.filter(({ minor }) => minor < server).length;
      const versions = [...new Set(told.map(({ kubeletVersion }) => kubeletVersion))].sort();
      return behind === 0
        ? passed(someOf(versions))
        : warning(
            `${behind} of ${told.length} nodes are behind the control plane: ${someOf(versions)}`,
            "upgrade or replace these nodes when it suits you",
          );
    }),
  ];
};
