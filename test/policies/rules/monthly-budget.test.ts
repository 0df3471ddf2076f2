import { monthlyBudget } from "../../../policies/rules/monthly-budget";
import { plan, policyCases, UNKNOWN } from "../cases";

const cost = (monthlyUsd: number, monthlyBudgetUsd?: number) => [
  plan({ cost: { hourlyUsd: 1, monthlyUsd, monthlyBudgetUsd } }),
];

policyCases(monthlyBudget, [
  ["within", cost(730, 800), "pass"],
  ["exactly", cost(800, 800), "pass"],
  ["no budget", cost(1_000_000), "pass"],
  ["no plan", [], "pass"],
  [
    "over",
    cost(812.5, 800),
    ['data["plan.json"].cost.monthlyUsd is 812.5 USD, 13 over; allowed: at most 800 USD; fix: Lower minimum replicas'],
  ],
  ["a budget of nothing", cost(1, 0), ["at most 0 USD"]],
  [
    "unknown plan",
    [{ ...plan(), inputs: { metadata: { name: "inference-plan" }, data: { "plan.json": UNKNOWN } } }],
    "unknown",
  ],
]);
