/**
 * Permissions by role, each including the previous one.
 *
 * - viewer: sees everything except Secrets, reads logs.
 * - operator: also deletes pods and Jobs, scales. Changing pod templates or starting processes
 *   would expose all Secrets of the namespace.
 * - admin: also changes workloads, reads Secrets, enters pods. Guards (policies, quota, roles,
 *   routes, the namespace) stay Pulumi's, to confine admins to their domain.
 */
import type { types } from "@pulumi/kubernetes";

type PolicyRule = types.input.rbac.v1.PolicyRule;

export const PEOPLE_ROLES = ["viewer", "operator", "admin"] as const;
export type PeopleRole = (typeof PEOPLE_ROLES)[number];

const READ = ["get", "list", "watch"];
const WRITE = ["create", "update", "patch", "delete", "deletecollection"];

/** API groups of the platform and its charts, without secrets. */
const CUSTOM_GROUPS = [
  "gateway.networking.k8s.io",
  "gateway.envoyproxy.io",
  "aigateway.envoyproxy.io",
  "leaderworkerset.x-k8s.io",
  "ray.io",
  "cert-manager.io",
  "argoproj.io",
  "acme.cert-manager.io",
  "monitoring.coreos.com",
];

const SCALABLE: readonly PolicyRule[] = [
  { apiGroups: ["apps"], resources: ["deployments/scale", "statefulsets/scale", "replicasets/scale"] },
  { apiGroups: ["leaderworkerset.x-k8s.io"], resources: ["leaderworkersets/scale"] },
].map((scale) => ({ ...scale, verbs: ["get", "update", "patch"] }));

const OWN: Readonly<Record<PeopleRole, readonly PolicyRule[]>> = {
  viewer: [
    {
      apiGroups: [""],
      resources: [
        "configmaps",
        "endpoints",
        "events",
        "limitranges",
        "persistentvolumeclaims",
        "pods",
        "pods/log",
        "resourcequotas",
        "serviceaccounts",
        "services",
      ],
      verbs: READ,
    },
    {
      apiGroups: [
        "apps",
        "autoscaling",
        "batch",
        "discovery.k8s.io",
        "events.k8s.io",
        "metrics.k8s.io",
        "networking.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        ...CUSTOM_GROUPS,
      ],
      resources: ["*"],
      verbs: READ,
    },
  ],
  operator: [
    { apiGroups: [""], resources: ["pods"], verbs: ["delete"] },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["delete"] },
    ...SCALABLE,
  ],
  admin: [
    {
      apiGroups: [""],
      resources: ["configmaps", "persistentvolumeclaims", "pods", "secrets", "services"],
      verbs: [...READ, ...WRITE],
    },
    // Both verbs: WebSocket clients use get, older ones create.
    { apiGroups: [""], resources: ["pods/exec", "pods/portforward"], verbs: ["get", "create"] },
    // Workloads only: routes, policies and certificates belong to Pulumi.
    {
      apiGroups: ["apps", "batch", "leaderworkerset.x-k8s.io", "ray.io"],
      resources: ["*"],
      verbs: [...READ, ...WRITE],
    },
  ],
};

export function rulesOf(role: PeopleRole): PolicyRule[] {
  return PEOPLE_ROLES.slice(0, PEOPLE_ROLES.indexOf(role) + 1).flatMap((each) => [...OWN[each]]);
}

/** Cluster-wide read access of all users. */
export const CLUSTER_READER: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["namespaces", "nodes", "persistentvolumes"], verbs: READ },
  { apiGroups: ["metrics.k8s.io"], resources: ["nodes"], verbs: READ },
  { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: READ },
  { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: READ },
  { apiGroups: ["node.k8s.io"], resources: ["runtimeclasses"], verbs: READ },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["gatewayclasses"], verbs: READ },
];
