import { meshMembers } from "../../../policies/rules/mesh-members";
import { object, policyCases, release, UNKNOWN } from "../cases";

const AMBIENT = { "istio.io/dataplane-mode": "ambient" };
const NONE = { "istio.io/dataplane-mode": "none" };
const namespace = (name: unknown, labels?: unknown, kind = "Namespace") =>
  object("core/v1", kind, {}, { name, ...(labels !== undefined && { labels }) });
const NO_SIDECAR = { "istio-injection": "disabled" };
const sidecars = namespace("inference-gateway", { "istio-injection": "enabled" });
const member = namespace("inference-gateway", AMBIENT);
const group = (where: unknown, size: unknown = 2) =>
  object(
    "leaderworkerset.x-k8s.io/v1",
    "LeaderWorkerSet",
    { spec: { leaderWorkerTemplate: { size } } },
    { namespace: where },
  );
const outside = "is outside of the mesh";

policyCases(meshMembers, [
  ["all in the mesh", [member, namespace("model-chat", AMBIENT)], "pass"],
  ["no mesh", [namespace("model-chat"), namespace("inference-gateway", {})], "pass"],
  ["a model outside", [member, namespace("model-chat", NONE)], [outside]],
  ["a model outside, by a patch", [member, namespace("model-chat", NONE, "NamespacePatch")], [outside]],
  ...[null, "off", ""].map(
    (value) =>
      [
        `a patch that sets its label to ${JSON.stringify(value)}`,
        [member, namespace("model-chat", { "istio.io/dataplane-mode": value }, "NamespacePatch")],
        [outside],
      ] as const,
  ),
  ["a patch alone", [namespace("model-chat", { "istio-injection": "off" }, "NamespacePatch")], [outside]],
  ["a patch that takes it in", [member, namespace("model-chat", AMBIENT, "NamespacePatch")], "pass"],
  ["an unknown patch", [member, namespace("model-chat", UNKNOWN, "NamespacePatch")], "unknown"],
  ["a namespace that Helm creates", [member, release({ createNamespace: true })], ["namespace is outside of the mesh"]],
  ["a namespace that Helm creates, no mesh", [release({ createNamespace: true })], "pass"],
  [
    "a namespace that Helm finds",
    [member, namespace("observability", AMBIENT), release({ createNamespace: true })],
    "pass",
  ],
  [
    "a listed namespace that Helm creates",
    [member, release({ createNamespace: true, namespace: "node-metrics" })],
    "pass",
  ],
  ["a chart in a namespace of another stack", [member, release({})], "pass"],
  ["a patch of something else", [member, namespace("model-chat", { a: "b" }, "NamespacePatch")], "pass"],
  ["a model that takes no sidecar", [sidecars, namespace("model-chat", NO_SIDECAR)], [outside]],
  ["a model that takes no sidecar, no mesh", [namespace("model-chat", NO_SIDECAR)], "pass"],
  [
    "a model that takes no sidecar, in a mesh without namespaces",
    [object("security.istio.io/v1", "PeerAuthentication", {}), namespace("model-chat", NO_SIDECAR)],
    [outside],
  ],
  ["a model that says nothing", [member, namespace("model-chat")], [outside]],
  ["a model with another word", [member, namespace("model-chat", { "istio.io/dataplane-mode": "off" })], [outside]],
  [
    "a model in a mesh of another kind",
    [member, namespace("model-b", AMBIENT), namespace("model-chat", { "istio-injection": "enabled" })],
    [outside],
  ],
  ["a model whose replicas span nodes", [member, namespace("model-chat", NONE), group("model-chat")], "pass"],
  ["groups of one pod", [member, namespace("model-chat", NONE), group("model-chat", 1)], [outside]],
  [
    "groups of as many pods as by default",
    [member, namespace("model-chat", NONE), group("model-chat", null)],
    [outside],
  ],
  ["groups of unknown size", [member, namespace("model-chat", NONE), group("model-chat", UNKNOWN)], "unknown"],
  ["another model's replicas", [member, namespace("model-chat", NONE), group("model-b")], [outside]],
  ["metrics outside of a mesh without sidecars", [member, namespace("observability", NONE)], [outside]],
  ["metrics outside of a mesh of sidecars", [sidecars, namespace("observability", NO_SIDECAR)], "pass"],
  ["agents of nodes", [member, namespace("node-metrics", NONE)], "pass"],
  ["unknown labels", [member, namespace("model-chat", UNKNOWN)], "unknown"],
  ["an unknown mode", [member, namespace("model-chat", { "istio.io/dataplane-mode": UNKNOWN })], "unknown"],
  ["an unknown name", [member, namespace(UNKNOWN, NONE)], "unknown"],
  ["a group of nobody knows where", [member, namespace("model-chat", NONE), group(UNKNOWN)], "unknown"],
]);
