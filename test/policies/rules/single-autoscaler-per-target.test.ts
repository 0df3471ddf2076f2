import { singleAutoscalerPerTarget } from "../../../policies/rules/single-autoscaler-per-target";
import { policyCases, UNKNOWN, workload } from "../cases";

const hpa = (name: unknown, namespace: unknown = "model-chat", kind: string = "Deployment") =>
  workload(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    { scaleTargetRef: { apiVersion: "apps/v1", kind, name } },
    namespace,
  );
const scaledObject = (name: string) => workload("keda.sh/v1alpha1", "ScaledObject", { scaleTargetRef: { name } });
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
  ["unknown target", [hpa(UNKNOWN), scaledObject("chat")], "unknown"],
  ["unknown namespace", [hpa("chat", UNKNOWN), scaledObject("chat")], "unknown"],
]);
