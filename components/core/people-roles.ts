/**
 * What people may do, by role: data. Each may do what the one before it may.
 *
 * - A viewer sees everything but Secrets, and reads logs.
 * - An operator also frees what hangs: deletes pods and Jobs, scales. Not more: who may change a pod's template, or start a
 *   process in a pod, can read every Secret that the namespace has.
 * - An admin also changes what runs in the namespace, reads its Secrets and enters its pods. What guards the namespace (policies,
 *   quota, roles, routes, the namespace itself) stays Pulumi's, so that no admin of a domain leaves it.
 */
import type { types } from "@pulumi/kubernetes";

type PolicyRule = types.input.rbac.v1.PolicyRule;

export const PEOPLE_ROLES = ["viewer", "operator", "admin"] as const;
export type PeopleRole = (typeof PEOPLE_ROLES)[number];

const READ = ["get", "list", "watch"];
const WRITE = ["create", "update", "patch", "delete", "deletecollection"];

/** Kinds that the platform and its charts make, besides Kubernetes' own. Their objects hold no secrets. */
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
    // Both: a client that speaks WebSockets gets, an older one creates.
    { apiGroups: [""], resources: ["pods/exec", "pods/portforward"], verbs: ["get", "create"] },
    // What runs, not who reaches it: routes, policies and certificates are Pulumi's.
    {
      apiGroups: ["apps", "batch", "leaderworkerset.x-k8s.io", "ray.io"],
      resources: ["*"],
      verbs: [...READ, ...WRITE],
    },
  ],
};

/** All that a role may do in a namespace that it is bound in. */
export function rulesOf(role: PeopleRole): PolicyRule[] {
  return PEOPLE_ROLES.slice(0, PEOPLE_ROLES.indexOf(role) + 1).flatMap((each) => [...OWN[each]]);
}

/** What everybody of an environment may see outside of namespaces. */
export const CLUSTER_READER: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["namespaces", "nodes", "persistentvolumes"], verbs: READ },
  { apiGroups: ["metrics.k8s.io"], resources: ["nodes"], verbs: READ },
  { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: READ },
  { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: READ },
  { apiGroups: ["node.k8s.io"], resources: ["runtimeclasses"], verbs: READ },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["gatewayclasses"], verbs: READ },
];
