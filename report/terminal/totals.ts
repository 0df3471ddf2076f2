import type { StoragePlan } from "../../planner/storage-plan";
import type { CostPlan, ServiceKind } from "../../planner/types";
import { alertsText } from "../alerts";
import { clusterText } from "../cluster";
import { nodeMakersText } from "../node-makers";
import { startedBySchedules } from "../pool-features";
import type { PlanResult } from "../result";
import { type Cell, type Style, table, usd, WIDTH, wrap } from "../style";

const LABEL_WIDTH = 11;

/** The environment as a whole: cost, storage, verdicts, and where to read more. */
export function totals(result: PlanResult, s: Style): string {
  const { plan, cluster, policies, resources, violations } = result;
  const components = resources.filter((r) => r.type.startsWith("inference:")).length;
  const advisory = violations.filter((v) => v.severity === "advisory").length;
  const verdict = `${policies.passed} passed · ${policies.failed} failed${advisory > 0 ? ` · ${advisory} advisory` : ""}`;
  const ranges = plan.pools.filter((p) => p.minNodes < p.maxNodes);
  return [
    ...(cluster.provision === "existing" ? [] : lines("Cluster", clusterLines(cluster), s)),
    ...lines("Cost", cost(plan.cost, plan.pools.some(startedBySchedules)), s),
    ...lines("Storage", [storage(plan.storage)], s),
    ...lines("Alerts", [alertsText(result)], s),
    ...lines("Policies", [{ text: verdict, paint: policies.failed > 0 ? s.bad : s.good }], s),
    ...lines("Resources", [`${resources.length} in ${components} components (--tree, --resources)`], s),
    ...(plan.models.some((m) => m.gpusPerNode > 0)
      ? lines("Sizing", ["each model's memory, the five-step rule and the capacity table: --explain"], s)
      : []),
    ...(ranges.length > 0
      ? lines("Ranges", ["the first number always runs, the second runs while demand or a schedule asks for it"], s)
      : []),
  ].join("");
}

function clusterLines(cluster: PlanResult["cluster"]): string[] {
  const nodes = nodeMakersText(cluster.nodes);
  return [clusterText(cluster), ...(nodes === undefined ? [] : [nodes])];
}

function cost(plan: CostPlan, isScheduled: boolean): string[] {
  const { hourlyUsd, monthlyUsd, maxMonthlyUsd, monthlyBudgetUsd, notPriced, services } = plan;
  const budget = monthlyBudgetUsd === undefined ? "" : ` of a budget of ${usd(monthlyBudgetUsd)}`;
  const limit = monthlyBudgetUsd === undefined ? "" : "; the budget does not limit this";
  const always = services.length > 0 ? "what always runs" : "the nodes that always run";
  return [
    `${usd(hourlyUsd)} USD/hour, ${usd(monthlyUsd)} USD/month${budget}: ${always}${isScheduled ? "; the month with what schedules start" : ""}`,
    ...(services.length > 0
      ? [`including non-node costs: ${byKind(services)} (prices with source and date: --html, --json)`]
      : []),
    ...(maxMonthlyUsd > monthlyUsd ? [`${usd(maxMonthlyUsd)} USD/month with every pool at maxNodes${limit}`] : []),
    ...(notPriced.length > 0 ? [`not priced: ${notPriced.join(", ")}`] : []),
  ];
}

const KINDS: Readonly<Record<ServiceKind, string>> = {
  "control-plane": "control plane",
  "nat-gateway": "NAT gateways",
  "public-address": "public addresses",
  endpoint: "endpoints",
  key: "keys",
  "load-balancer": "load balancer",
  volume: "volumes",
  "node-disk": "nodes' disks",
};

/** `control plane 73.00, volumes 8.64`: what each kind costs in a month. */
function byKind(services: CostPlan["services"]): string {
  const sums = new Map<ServiceKind, number>();
  for (const { kind, monthlyUsd } of services) {
    sums.set(kind, (sums.get(kind) ?? 0) + monthlyUsd);
  }
  return [...sums].map(([kind, monthlyUsd]) => `${KINDS[kind]} ${usd(monthlyUsd)}`).join(", ");
}

function storage({ models, sizeGiB, bucket, bucketGiB, nodeCacheGiB }: StoragePlan): string {
  const cache = nodeCacheGiB === undefined ? "" : `; ${nodeCacheGiB} GiB of cache on each node that serves them`;
  return models.length > 0
    ? `${bucketGiB ?? sizeGiB} GiB in bucket "${bucket}"${bucketGiB === undefined ? "" : " elsewhere"} for ${models.join(", ")}${cache}`
    : "no model goes through the store";
}

/** A label, and what it is about in lines of their own. */
function lines(label: string, texts: readonly (string | Cell)[], s: Style): string[] {
  return texts
    .map((cell) => (typeof cell === "string" ? { text: cell } : cell))
    .flatMap(({ text, ...look }): Cell[] =>
      wrap(text, WIDTH - LABEL_WIDTH, "").map((line) => ({ text: line, ...look })),
    )
    .map((cell, i) => table([[{ text: (i === 0 ? label : "").padEnd(LABEL_WIDTH - 2), paint: s.bold }, cell]]));
}
