import { noClusterAdmin } from "../../../policies/rules/no-cluster-admin";
import { object, policyCases, release, UNKNOWN } from "../cases";

const role = (rules: unknown) => object("rbac.authorization.k8s.io/v1", "ClusterRole", { rules });
const namespaced = (rules: unknown) => object("rbac.authorization.k8s.io/v1", "Role", { rules }, { namespace: "a" });
const aggregated = (clusterRoleSelectors: unknown) =>
  object("rbac.authorization.k8s.io/v1", "ClusterRole", { aggregationRule: { clusterRoleSelectors } });
const binding = (name: unknown, subject = "gateway") =>
  object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", {
    roleRef: { kind: "ClusterRole", name },
    subjects: [{ kind: "Group", name: subject }],
  });
const bindingIn = (namespace: string, name: string) =>
  object("rbac.authorization.k8s.io/v1", "RoleBinding", { roleRef: { kind: "ClusterRole", name } }, { namespace });
const certificate = (signerName: string) => [
  object("certificates.k8s.io/v1", "CertificateSigningRequest", { spec: { signerName } }),
];
const flow = (level: string, name: string) => [
  object("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", {
    spec: { priorityLevelConfiguration: { name: level }, rules: [{ subjects: [{ kind: "Group", group: { name } }] }] },
  }),
];

policyCases(noClusterAdmin, [
  ["named verbs", [role([{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }])], "pass"],
  ["one ConfigMap", [role([{ resources: ["configmaps"], verbs: ["patch"], resourceNames: ["a"] }])], "pass"],
  ["edit in one namespace", [bindingIn("a", "edit")], "pass"],
  ["edit in the system's namespace", [bindingIn("kube-system", "edit")], ['roleRef.name is "edit"']],
  ["one Secret", [role([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["tls"] }])], "pass"],
  ["Secrets of one namespace", [namespaced([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }])], "pass"],
  ["roles gathered by label", [aggregated([{ matchLabels: { "acme.io/view": "true" } }])], "pass"],
  ["a role of its own", [binding("gateway")], "pass"],
  ["everything", [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }])], ['ClusterRole "chat": rules[0] is']],
  [
    "every verb by its name",
    [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "create", "update", "patch", "delete"] }])],
    ["rules[0] is"],
  ],
  [
    "every resource, some verbs",
    [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "patch"] }])],
    ['rules[0].resources is ["*"]; allowed: Secrets of one namespace'],
  ],
  ...["bind", "escalate", "impersonate"].map(
    (verb) =>
      [`the verb ${verb}`, [role([{ resources: ["roles"], verbs: [verb] }])], [`verbs is ["${verb}"]`]] as const,
  ),
  ["all Secrets", [role([{ resources: ["secrets"], verbs: ["list"] }])], ['resources is ["secrets"]']],
  ["nodes/proxy", [namespaced([{ resources: ["nodes/proxy"], verbs: ["get"] }])], ["it runs commands"]],
  ["every address of the API server", [role([{ nonResourceURLs: ["*"], verbs: ["get"] }])], ["nonResourceURLs"]],
  ["every role gathered, by no label", [aggregated([{ matchLabels: {} }])], ["clusterRoleSelectors[0] is"]],
  [
    "every role gathered, by a label that none has",
    [aggregated([{ matchExpressions: [{ key: "a", operator: "DoesNotExist" }] }])],
    ["clusterRoleSelectors[0] is"],
  ],
  [
    "the API server's own roles gathered",
    [aggregated([{ matchLabels: { "kubernetes.io/bootstrapping": "rbac-defaults" } }])],
    ["takes cluster-admin"],
  ],
  ["a certificate for the API server", certificate("kubernetes.io/kube-apiserver-client"), ["spec.signerName is"]],
  ["a certificate for another", certificate("acme.io/mesh"), "pass"],
  ["strangers before everybody", flow("exempt", "system:unauthenticated"), ['group.name is "system:unauthenticated"']],
  ["strangers in their turn", flow("catch-all", "system:unauthenticated"), "pass"],
  ["somebody before everybody", flow("exempt", "acme:operators"), "pass"],
  ["every role gathered", [aggregated([{}])], ["aggregationRule.clusterRoleSelectors[0] is {}"]],
  ["bound to anonymous callers", [binding("view", "system:anonymous")], ['subjects[0].name is "system:anonymous"']],
  ["bound to every account", [binding("view", "system:authenticated")], ["subjects[0].name"]],
  ["bound to cluster-admin", [binding("cluster-admin")], ['roleRef.name is "cluster-admin"']],
  ["unknown rules", [role(UNKNOWN)], "unknown"],
  ["a chart with named rights", [release({ chart: "kube-prometheus-stack" })], "pass"],
  [
    "a chart that brings such a role",
    [release({ chart: "oci://public.ecr.aws/n4e0e1y0/beta9-chart" })],
    ['chart has the ClusterRole "beta9-role" in it: get, list'],
  ],
  ["unknown chart", [release({ chart: UNKNOWN })], "unknown"],
  ["unknown role", [binding(UNKNOWN)], "unknown"],
]);
