import { noClusterAdmin } from "../../../policies/rules/no-cluster-admin";
import { object, policyCases, release, UNKNOWN } from "../cases";

const role = (rules: unknown) => object("rbac.authorization.k8s.io/v1", "ClusterRole", { rules });
const binding = (name: unknown) =>
  object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", { roleRef: { kind: "ClusterRole", name } });

policyCases(noClusterAdmin, [
  ["named verbs", [role([{ apiGroups: [""], resources: ["*"], verbs: ["get"] }])], "pass"],
  ["a role of its own", [binding("gateway")], "pass"],
  ["everything", [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }])], ['ClusterRole "chat": rules[0] is']],
  [
    "every verb by its name",
    [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "create", "update", "patch", "delete"] }])],
    ["rules[0] is"],
  ],
  ["every resource, some verbs", [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "patch"] }])], "pass"],
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
