import { singleAutoscalerPerTarget } from "../../../policies/rules/single-autoscaler-per-target";
import { object, policyCases, UNKNOWN, workload } from "../cases";

const hpa = (name: unknown, namespace: unknown = "model-chat", kind: string = "Deployment") =>
  workload(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    { scaleTargetRef: { apiVersion: "apps/v1", kind, name } },
    namespace,
  );
const scaledObject = (name: string) => workload("keda.sh/v1alpha1", "ScaledObject", { scaleTargetRef: { name } });
/** KEDA's of anything with a scale subresource; paused by model control, it comes back with the next start. */
const scaledBy = (kind: string, name: string, annotations: Readonly<Record<string, string>> = {}) => {
  const apiVersion = kind === "LeaderWorkerSet" ? "leaderworkerset.x-k8s.io/v1" : "ray.io/v1";
  const spec = { scaleTargetRef: { apiVersion, kind, name } };
  return object("keda.sh/v1alpha1", "ScaledObject", { spec }, { namespace: "model-chat", annotations });
};
const scaledJob = workload("keda.sh/v1alpha1", "ScaledJob", { jobTargetRef: { template: {} } });
const vpa = (updateMode?: string) =>
  workload("autoscaling.k8s.io/v1", "VerticalPodAutoscaler", {
    targetRef: { kind: "Deployment", name: "chat" },
    updatePolicy: { updateMode },
  });

policyCases(singleAutoscalerPerTarget, [
  ["one", [hpa("chat")], "pass"],
  ["one each", [hpa("chat"), hpa("embedding"), hpa("chat", "other"), hpa("chat", "model-chat", "StatefulSet")], "pass"],
  ["a VPA that only recommends", [hpa("chat"), vpa("Off")], "pass"],
  [
    "HPA and KEDA, whose kind defaults to Deployment",
    [hpa("chat"), scaledObject("chat")],
    [
      'spec.scaleTargetRef is Deployment model-chat/chat, which HorizontalPodAutoscaler "subject" scales already; allowed: one autoscaler per target',
    ],
  ],
  ["HPA and VPA", [hpa("chat"), vpa()], ["spec.targetRef"]],
  ["three", [hpa("chat"), hpa("chat"), scaledObject("chat")], ["HorizontalPodAutoscaler", "ScaledObject"]],
  [
    "groups and clusters, each their own",
    [scaledBy("LeaderWorkerSet", "chat"), scaledBy("RayService", "chat")],
    "pass",
  ],
  ["a group and a Deployment of one name", [scaledBy("LeaderWorkerSet", "chat"), hpa("chat")], "pass"],
  [
    "KEDA and HPA on a group",
    [scaledBy("LeaderWorkerSet", "chat"), hpa("chat", "model-chat", "LeaderWorkerSet")],
    ["is LeaderWorkerSet model-chat/chat, which ScaledObject"],
  ],
  [
    "KEDA and HPA on a Ray service",
    [scaledBy("RayService", "chat"), hpa("chat", "model-chat", "RayService")],
    ["is RayService model-chat/chat, which ScaledObject"],
  ],
  ["jobs that KEDA starts scale nothing", [scaledJob, scaledJob, hpa("chat")], "pass"],
  [
    "one that is paused: its pause ends",
    [
      scaledBy("LeaderWorkerSet", "chat", { "autoscaling.keda.sh/paused": "true" }),
      hpa("chat", "model-chat", "LeaderWorkerSet"),
    ],
    ["is LeaderWorkerSet model-chat/chat"],
  ],
  ["unknown target", [hpa(UNKNOWN), scaledObject("chat")], "unknown"],
  ["unknown namespace", [hpa("chat", UNKNOWN), scaledObject("chat")], "unknown"],
]);
