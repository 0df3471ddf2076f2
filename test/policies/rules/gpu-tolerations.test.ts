import { gpuTolerations } from "../../../policies/rules/gpu-tolerations";
import { deployment, gpuContainer, plan, podSpec, policyCases, UNKNOWN } from "../cases";

const onA10 = { "inference-stacks.io/pool": "a10" };
const ZONE = "topology.kubernetes.io/zone";
const toleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };
const gpuPod = (changes: Record<string, unknown>) => deployment(podSpec({ containers: [gpuContainer()], ...changes }));
const affinity = (terms: unknown[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
});
const inZone = affinity([{ matchExpressions: [{ key: ZONE, operator: "In", values: ["a"] }] }]);
const softTaint = plan({
  pools: [{ name: "a10", role: "gpu", selector: onA10, taints: [{ key: "x", effect: "PreferNoSchedule" }] }],
});

policyCases(gpuTolerations, [
  ["tolerates by Exists", [plan(), gpuPod({ nodeSelector: onA10, tolerations: [toleration] })], "pass"],
  [
    "tolerates by value",
    [plan(), gpuPod({ nodeSelector: onA10, tolerations: [{ key: "nvidia.com/gpu", value: "present" }] })],
    "pass",
  ],
  ["tolerates everything", [plan(), gpuPod({ nodeSelector: onA10, tolerations: [{ operator: "Exists" }] })], "pass"],
  ["selects by affinity", [plan(), gpuPod({ affinity: inZone, tolerations: [toleration] })], "pass"],
  ["soft taints need no toleration", [softTaint, gpuPod({ nodeSelector: onA10 })], "pass"],
  ["pods without GPUs may run anywhere", [plan(), deployment(podSpec())], "pass"],
  ["no plan: the conventional taint", [gpuPod({ nodeSelector: onA10, tolerations: [toleration] })], "pass"],
  ["no plan, no toleration", [gpuPod({ nodeSelector: onA10 })], ["here of nvidia.com/gpu:NoSchedule (any GPU node)"]],
  [
    "no toleration",
    [plan(), gpuPod({ nodeSelector: onA10 })],
    [
      "spec.template.spec.tolerations is not set; allowed: tolerations of the nodes' taints, here of nvidia.com/gpu:NoSchedule (a10)",
    ],
  ],
  [
    "another value",
    [plan(), gpuPod({ nodeSelector: onA10, tolerations: [{ key: "nvidia.com/gpu", value: "absent" }] })],
    ["nvidia.com/gpu:NoSchedule"],
  ],
  [
    "another effect",
    [plan(), gpuPod({ nodeSelector: onA10, tolerations: [{ ...toleration, effect: "NoExecute" }] })],
    ["nvidia.com/gpu:NoSchedule"],
  ],
  ["selects nothing", [plan(), gpuPod({ tolerations: [toleration] })], ["nodeSelector is not set"]],
  [
    "selects no pool of the plan",
    [plan(), gpuPod({ nodeSelector: { "inference-stacks.io/pool": "h100" }, tolerations: [toleration] })],
    ["(pool a10)"],
  ],
  [
    "selects the pool, and a zone that the plan does not name",
    [plan(), gpuPod({ nodeSelector: { ...onA10, [ZONE]: "a" }, tolerations: [toleration] })],
    "pass",
  ],
  [
    "selects by a zone alone",
    [plan(), gpuPod({ nodeSelector: { [ZONE]: "a" }, tolerations: [toleration] })],
    ["(pool a10)"],
  ],
  ["unknown selector", [plan(), gpuPod({ nodeSelector: UNKNOWN, tolerations: [toleration] })], "unknown"],
  ["unknown tolerations", [plan(), gpuPod({ nodeSelector: onA10, tolerations: UNKNOWN })], "unknown"],
]);
