import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import { NETWORK_POLICY_NAMESPACE } from "../../names/namespaces";
import { NODE_AGENTS } from "../../planner/node-agents";
import { Controller } from "../core/controller";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { burstable } from "../core/resources";

const NAME = "calico-node";

/**
 * Calico's agent as in Oracle's documentation: policies only, no IPAM, routes or CNI plugin
 * (docs.oracle.com, ContEng/Tasks/contengsettingupcalico, page of 2026-09-05, read 2026-11-23).
 */
const AGENT_SETTINGS: Readonly<Record<string, string>> = {
  DATASTORE_TYPE: "kubernetes",
  WAIT_FOR_DATASTORE: "true",
  CALICO_NETWORKING_BACKEND: "none",
  CLUSTER_TYPE: "k8s",
  CALICO_MANAGE_CNI: "false",
  CALICO_DISABLE_FILE_LOGGING: "true",
  NO_DEFAULT_POOLS: "true",
  // Prefix of pod interfaces in Oracle's plugin; Calico's default is "cali".
  FELIX_INTERFACEPREFIX: "oci",
  // Oracle's rules come first and apply to traffic that Calico allows.
  FELIX_CHAININSERTMODE: "Append",
  FELIX_IPTABLESMANGLEALLOWACTION: "Return",
  // Oracle Linux 8 and Ubuntu use nftables.
  FELIX_IPTABLESBACKEND: "NFT",
  FELIX_DEFAULTENDPOINTTOHOSTACTION: "ACCEPT",
  FELIX_IPV6SUPPORT: "false",
  FELIX_HEALTHENABLED: "true",
};

/** Host paths that the agent uses. */
const HOST_PATHS: readonly { name: string; path: string; type?: string; readOnly?: boolean }[] = [
  { name: "lib-modules", path: "/lib/modules", readOnly: true },
  { name: "var-run-calico", path: "/var/run/calico", type: "DirectoryOrCreate" },
  { name: "var-lib-calico", path: "/var/lib/calico", type: "DirectoryOrCreate" },
  { name: "xtables-lock", path: "/run/xtables.lock", type: "FileOrCreate" },
];

const CALICO = "crd.projectcalico.org";
const READ = ["get", "list", "watch"];

/**
 * RBAC of the agent: a subset of Calico's rules (manifests/calico-policy-only.yaml, 3.32.0) without
 * CNI, IPAM and BGP.
 */
const RULES = [
  {
    apiGroups: [""],
    resources: ["pods", "namespaces", "serviceaccounts", "nodes", "services", "endpoints"],
    verbs: READ,
  },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: READ },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: READ },
  { apiGroups: ["policy.networking.k8s.io"], resources: ["clusternetworkpolicies"], verbs: READ },
  // Conditions and annotations of its own node.
  { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch", "update"] },
  {
    apiGroups: [CALICO],
    resources: [
      "bgpconfigurations",
      "bgpfilters",
      "bgppeers",
      "blockaffinities",
      "caliconodestatuses",
      "clusterinformations",
      "felixconfigurations",
      "globalnetworkpolicies",
      "globalnetworksets",
      "hostendpoints",
      "ipamblocks",
      "ippools",
      "ipreservations",
      "networkpolicies",
      "networksets",
      "stagedglobalnetworkpolicies",
      "stagedkubernetesnetworkpolicies",
      "stagednetworkpolicies",
      "tiers",
    ],
    verbs: READ,
  },
  {
    apiGroups: [CALICO],
    resources: ["clusterinformations", "felixconfigurations", "bgpconfigurations", "ippools", "tiers"],
    verbs: ["create"],
  },
  {
    apiGroups: [CALICO],
    resources: ["clusterinformations", "felixconfigurations", "bgpconfigurations", "ippools", "caliconodestatuses"],
    verbs: ["update"],
  },
];

/**
 * Enforces NetworkPolicies where the pod network does not: only Calico's agent, on every node. No
 * chart exists (Calico's operator supports only the networks of Amazon, Azure and Google), except
 * for CRDs. Calico's controllers are not needed: they collect addresses that it assigned.
 */
export class NetworkPolicyEngine extends PlatformComponent {
  /** Releases and agents, without the network policies of the namespace. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:NetworkPolicyEngine", name, opts);
    const labels = standardLabels("network-policy-engine", NAME);
    const home = new Controller(
      this.child("calico"),
      {
        namespace: NETWORK_POLICY_NAMESPACE,
        crds: { chart: "calico-crds", release: "calico-crds" },
        contents: () => ({ charts: [] }),
      },
      this.childOptions(),
    );
    const { namespace } = home;
    const metadata = { name: NAME, labels };
    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata: { ...metadata, namespace }, automountServiceAccountToken: false },
      this.childOptions(),
    );
    const role = new kubernetes.rbac.v1.ClusterRole(
      this.child("role"),
      { metadata, rules: RULES.map((rule) => ({ ...rule, resources: [...rule.resources] })) },
      this.childOptions(),
    );
    const binding = new kubernetes.rbac.v1.ClusterRoleBinding(
      this.child("binding"),
      {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: named(role, NAME) },
        subjects: [{ kind: "ServiceAccount", name: named(account, NAME), namespace }],
      },
      this.childOptions(),
    );
    const probe = (what: string) => ({
      exec: { command: ["/bin/calico-node", what] },
      periodSeconds: 10,
      timeoutSeconds: 10,
    });
    const agents = new kubernetes.apps.v1.DaemonSet(
      this.child("agents"),
      {
        metadata: { ...metadata, namespace },
        spec: {
          selector: { matchLabels: { "k8s-app": NAME } },
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
          template: {
            metadata: { labels: { ...labels, "k8s-app": NAME } },
            spec: {
              nodeSelector: { "kubernetes.io/os": "linux" },
              hostNetwork: true,
              // Every node, regardless of taints: a node without the agent enforces nothing.
              tolerations: [
                { operator: "Exists", effect: "NoSchedule" },
                { operator: "Exists", effect: "NoExecute" },
                { key: "CriticalAddonsOnly", operator: "Exists" },
              ],
              serviceAccountName: named(account, NAME),
              automountServiceAccountToken: true,
              enableServiceLinks: false,
              priorityClassName: "system-node-critical",
              securityContext: { seccompProfile: { type: "RuntimeDefault" } },
              terminationGracePeriodSeconds: 0,
              containers: [
                {
                  name: NAME,
                  image: image("calico-node"),
                  env: [
                    ...Object.entries(AGENT_SETTINGS).map(([key, value]) => ({ name: key, value })),
                    { name: "NODENAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                  ],
                  // Writes the node's packet filter.
                  securityContext: { privileged: true },
                  resources: burstable(NODE_AGENTS.networkPolicies, { cpu: 1, memoryGiB: 1, ephemeralStorageGiB: 1 }),
                  lifecycle: { preStop: { exec: { command: ["/bin/calico-node", "-shutdown"] } } },
                  livenessProbe: { ...probe("-felix-live"), initialDelaySeconds: 10, failureThreshold: 6 },
                  readinessProbe: probe("-felix-ready"),
                  volumeMounts: HOST_PATHS.map(({ name: volume, path, readOnly = false }) => ({
                    name: volume,
                    mountPath: path,
                    readOnly,
                  })),
                },
              ],
              volumes: HOST_PATHS.map(({ name: volume, path, type }) => ({
                name: volume,
                hostPath: { path, ...(type !== undefined && { type }) },
              })),
            },
          },
        },
      },
      this.childOptions({ dependsOn: [...home.crds, binding] }),
    );
    this.ready = [...home.releases, agents];
    this.registerOutputs({});
  }
}
