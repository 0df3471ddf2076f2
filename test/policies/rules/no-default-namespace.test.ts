import { noDefaultNamespace } from "../../../policies/rules/no-default-namespace";
import { object, policyCases, release, resource, UNKNOWN } from "../cases";

policyCases(noDefaultNamespace, [
  ["a namespace of its own", [object("core/v1", "ConfigMap", {}, { namespace: "model-chat" })], "pass"],
  [
    "cluster-scoped",
    [object("core/v1", "Namespace", {}), object("rbac.authorization.k8s.io/v1", "ClusterRole", {})],
    "pass",
  ],
  ["cluster-scoped custom resource", [object("gateway.networking.k8s.io/v1", "GatewayClass", {})], "pass"],
  ["Calico's profiles", [object("crd.projectcalico.org/v1", "Profile", {})], "pass"],
  ["not Kubernetes", [resource("aws:s3/bucket:Bucket", {})], "pass"],
  ["a file of objects, which name theirs", [resource("kubernetes:yaml/v2:ConfigFile", { file: "a.yaml" })], "pass"],
  ["left out", [object("core/v1", "ConfigMap", {})], ['ConfigMap "chat": metadata.namespace is not set']],
  [
    "default",
    [object("apps/v1", "Deployment", {}, { namespace: "default" })],
    ['Deployment "default/chat": metadata.namespace is "default"'],
  ],
  ["custom resources too", [object("keda.sh/v1alpha1", "ScaledObject", {})], ["ScaledObject"]],
  ["patches too", [object("core/v1", "ConfigMapPatch", {})], ["ConfigMapPatch"]],
  ["Helm releases too", [release({ namespace: undefined })], ["namespace is not set"]],
  ["unknown", [object("core/v1", "ConfigMap", {}, { namespace: UNKNOWN })], "unknown"],
]);
