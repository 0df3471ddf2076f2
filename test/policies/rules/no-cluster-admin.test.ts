import { noClusterAdmin } from "../../../policies/rules/no-cluster-admin";
import { object, policyCases, UNKNOWN } from "../cases";

const role = (rules: unknown) => object("rbac.authorization.k8s.io/v1", "ClusterRole", { rules });
const binding = (name: unknown) =>
  object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", { roleRef: { kind: "ClusterRole", name } });

policyCases(noClusterAdmin, [
  ["named verbs", [role([{ apiGroups: [""], resources: ["*"], verbs: ["get"] }])], "pass"],
  ["a role of its own", [binding("gateway")], "pass"],
  ["everything", [role([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }])], ['ClusterRole "chat": rules[0] is']],
  ["bound to cluster-admin", [binding("cluster-admin")], ['roleRef.name is "cluster-admin"']],
  ["unknown rules", [role(UNKNOWN)], "unknown"],
  ["unknown role", [binding(UNKNOWN)], "unknown"],
]);
