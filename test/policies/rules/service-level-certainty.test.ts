import { serviceLevelCertainty } from "../../../policies/rules/service-level-certainty";
import { memoryVerdict } from "../../harness/plans";
import { plan, policyCases, UNKNOWN } from "../cases";

const model = {
  name: "chat",
  memoryPerGpu: { totalGiB: 1, limitGiB: 2 },
  verdict: memoryVerdict(),
  maxReplicas: 2,
};
const known = (speed: object, level: object = {}) => [
  plan({ models: [{ ...model, ...level, speed: { basis: "same-card", ...speed } }] }),
];

policyCases(serviceLevelCertainty, [
  ["sure", known({ sure: true }), "pass"],
  ["nobody asks", known({}), "pass"],
  ["not met at all, which is refused elsewhere", known({ sure: false, neededReplicas: 3 }), "pass"],
  ["nothing known of its speed", [plan({ models: [model] })], "pass"],
  ["no plan", [], "pass"],
  [
    "within the error",
    known({ sure: false, neededReplicas: 2 }, { serviceLevel: { confidence: 0.9 } }),
    [
      'data["plan.json"].models[0].speed.sure is false for model "chat": its level is kept at confidence 0.9, and within the error of the prediction (same-card); allowed: a level that is kept at confidence 0.95 too; fix: Measure the model once it runs (npm run measure',
    ],
  ],
  [
    "unknown plan",
    [{ ...plan(), inputs: { metadata: { name: "inference-plan" }, data: { "plan.json": UNKNOWN } } }],
    "unknown",
  ],
]);
