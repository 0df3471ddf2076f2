import { serviceLevel } from "../../../policies/rules/service-level";
import { memoryVerdict } from "../../harness/plans";
import { plan, policyCases, UNKNOWN } from "../cases";

const model = {
  name: "chat",
  memoryPerGpu: { totalGiB: 1, limitGiB: 2 },
  verdict: memoryVerdict(),
  maxReplicas: 2,
};
const needed = (neededReplicas?: number) => [
  plan({
    models: [{ ...model, speed: { basis: "same-card", ...(neededReplicas !== undefined && { neededReplicas }) } }],
  }),
];

policyCases(serviceLevel, [
  ["fewer than it may have", needed(1), "pass"],
  ["as many", needed(2), "pass"],
  ["without traffic", needed(), "pass"],
  ["nothing known of its speed", [plan({ models: [model] })], "pass"],
  ["no plan", [], "pass"],
  [
    "too many",
    needed(3),
    [
      'data["plan.json"].models[0].speed.neededReplicas is 3 for model "chat"; allowed: at most its maxReplicas, 2; fix: Raise the model\'s replicas.max',
    ],
  ],
  [
    "unknown plan",
    [{ ...plan(), inputs: { metadata: { name: "inference-plan" }, data: { "plan.json": UNKNOWN } } }],
    "unknown",
  ],
]);
