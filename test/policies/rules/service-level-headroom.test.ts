import { serviceLevelHeadroom } from "../../../policies/rules/service-level-headroom";
import { memoryVerdict } from "../../harness/plans";
import { plan, policyCases, UNKNOWN } from "../cases";

const model = {
  name: "chat",
  memoryPerGpu: { totalGiB: 1, limitGiB: 2 },
  verdict: memoryVerdict(),
  maxReplicas: 2,
};
const left = (headroom?: number) => [
  plan({ models: [{ ...model, speed: { basis: "same-card", ...(headroom !== undefined && { headroom }) } }] }),
];

policyCases(serviceLevelHeadroom, [
  ["a fifth", left(0.2), "pass"],
  ["much", left(0.9), "pass"],
  ["without traffic", left(), "pass"],
  ["less than nothing, which is refused elsewhere", left(-0.1), "pass"],
  ["nothing known of its speed", [plan({ models: [model] })], "pass"],
  ["no plan", [], "pass"],
  [
    "little",
    left(0.199),
    [
      'data["plan.json"].models[0].speed.headroom is 19 % for model "chat"; allowed: 20 % or more; fix: Write one replica',
    ],
  ],
  ["none", left(0), ['is 0 % for model "chat"']],
  [
    "unknown plan",
    [{ ...plan(), inputs: { metadata: { name: "inference-plan" }, data: { "plan.json": UNKNOWN } } }],
    "unknown",
  ],
]);
