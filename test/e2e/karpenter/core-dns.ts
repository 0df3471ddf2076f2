import type { KubernetesObject } from "../../../kubernetes/object";

/** What EKS lets its add-ons of the system tolerate: nothing of GPU nodes. */
const TOLERATIONS = [
  { key: "CriticalAddonsOnly", operator: "Exists" },
  { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
];

/** CoreDNS as EKS installs it (eksctl-io/eksctl@03c9a0a, pkg/addons/default/assets/coredns-1.34.json), as far as the scheduler looks. */
export function coreDns(): KubernetesObject {
  return deployment("coredns", 2, { cpu: "100m", memory: "70Mi" });
}

/** Pods as CoreDNS's that are too many for the nodes without GPUs. @param cpu of each. */
export function systemPods(replicas: number, cpu: string): KubernetesObject {
  return deployment("filler", replicas, { cpu, memory: "1Gi" });
}

function deployment(
  name: string,
  replicas: number,
  requests: { readonly cpu: string; readonly memory: string },
): KubernetesObject {
  const labels = { "k8s-app": name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "kube-system", labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: "system-cluster-critical",
          automountServiceAccountToken: false,
          tolerations: TOLERATIONS,
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: "kubernetes.io/os", operator: "In", values: ["linux"] },
                      { key: "kubernetes.io/arch", operator: "In", values: ["amd64", "arm64"] },
                    ],
                  },
                ],
              },
            },
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } },
                },
              ],
            },
          },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "topology.kubernetes.io/zone",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: labels },
            },
          ],
          containers: [{ name: "main", image: "registry.example/pause:1", resources: { requests } }],
        },
      },
    },
  };
}
