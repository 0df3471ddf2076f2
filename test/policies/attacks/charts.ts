import { release } from "../subjects";
import type { Attack } from "./attack";

const PODS = "restricted-security-context";
const SCHEDULING = "scheduling-limits";
const ADMIN = "no-cluster-admin";
const ASKS = "chart-authentication";
const values = (held: object) => [release({ values: held })];
const binding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "a" },
  roleRef: { name: "cluster-admin" },
};

/** What values of Helm charts open that manifests may not. */
export const CHARTS: readonly Attack[] = [
  ["a chart on the host's network", PODS, values({ controller: { hostNetwork: true } })],
  ["a chart that sees the host's processes", PODS, values({ hostPID: true })],
  ["a privileged container of a chart", PODS, values({ securityContext: { privileged: true } })],
  ["a context under another name", PODS, values({ server: { containerSecurityContext: { privileged: true } } })],
  ["contexts by the names of parts", PODS, values({ podSecurityContext: { operator: { runAsNonRoot: false } } })],
  ["root in a chart", PODS, values({ podSecurityContext: { runAsUser: 0 } })],
  ["a file system that a chart writes", PODS, values({ securityContext: { readOnlyRootFilesystem: false } })],
  ["a folder of the node, by a chart", PODS, values({ extraVolumes: [{ name: "a", hostPath: { path: "/" } }] })],
  ["a port of the node, by a chart", PODS, values({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  ["capabilities by a chart", PODS, values({ a: { securityContext: { capabilities: { add: ["SYS_ADMIN"] } } } })],
  ["names that lead elsewhere, by a chart", PODS, values({ hostAliases: [{ ip: "203.0.113.9", hostnames: ["a"] }] })],
  [
    "a container more in a chart's pods",
    PODS,
    values({ extraInitContainers: [{ name: "a", securityContext: { allowPrivilegeEscalation: true } }] }),
  ],
  ["a chart on the host's network, as text", PODS, values({ hostNetwork: "true" })],
  ["every taint, by a chart", SCHEDULING, values({ tolerations: [{ operator: "Exists" }] })],
  ["a priority of the system, by a chart", SCHEDULING, values({ priorityClassName: "system-node-critical" })],
  ["an object more in a chart", ADMIN, values({ extraObjects: [binding] })],
  ["objects by their names", ADMIN, values({ extraManifests: { a: binding } })],
  [
    "a manifest as text",
    ADMIN,
    values({
      extraDeploy: [
        "kind: ClusterRoleBinding\napiVersion: rbac.authorization.k8s.io/v1\nmetadata: {name: a}\nroleRef: {name: cluster-admin}\n",
      ],
    }),
  ],
  [
    "rules of a chart's role",
    ADMIN,
    values({ rbac: { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] } }),
  ],
  ["a chart's role by its name", ADMIN, values({ rbac: { clusterRoleName: "cluster-admin" } })],
  ["a switch of a chart", ADMIN, values({ rbac: { clusterAdmin: true } })],
  [
    "a NetworkPolicy that opens, by a chart",
    "network-policy-per-namespace",
    values({
      extraObjects: [
        { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "a" }, spec: { ingress: [{}] } },
      ],
    }),
  ],
  ["one of a chart's Ingresses", "no-public-endpoint", values({ ingress: { main: { enabled: true } } })],
  ["values in a file", "pinned-charts", [release({ valueYamlFiles: ["a.yaml"] })]],
  ["anonymous users of a chart", ASKS, values({ "grafana.ini": { "auth.anonymous": { enabled: true } } })],
  ["a chart without authentication", ASKS, values({ auth: { enabled: false } })],
  ["anonymous users by a variable", ASKS, values({ env: [{ name: "GF_AUTH_ANONYMOUS_ENABLED", value: "true" }] })],
  ["a page of a chart without a login", ASKS, values({ env: { WEBUI_AUTH: "False" } })],
  ["a way in that asks nobody", ASKS, values({ auth: { strategy: "anonymous" } })],
  ["a chart's files", ASKS, values({ grafanaIni: "[auth.anonymous]\nenabled = true\n" })],
  ["a chart's option", ASKS, values({ extraArgs: ["--anonymous-auth=true"] })],
];
