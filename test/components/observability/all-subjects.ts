import { karpenterAlerts } from "../../../components/autoscaling/alerts";
import type { ScaledModel } from "../../../components/autoscaling/scaled-model";
import { unmetRequests } from "../../../components/autoscaling/unmet-requests";
import { expectedMetrics } from "../../../components/observability/rules/absent";
import { sleepersByOtherNames } from "../../../components/observability/rules/asleep";
import { k3sCertificates } from "../../../components/observability/rules/cluster-certificates";
import { gpuExporterAlerts } from "../../../components/observability/rules/machines";
import { type PlannedCosts, plannedCost } from "../../../components/observability/rules/planned-cost";
import { plannedKinds } from "../../../components/observability/rules/planned-kinds";
import { type PlannedModel, plannedReplicas } from "../../../components/observability/rules/planned-replicas";
import { rdmaAlerts } from "../../../components/observability/rules/rdma";
import { serviceLevels } from "../../../components/observability/rules/service-levels";
import { silentModels } from "../../../components/observability/rules/silent";
import { RULE_SUBJECTS } from "../../../components/observability/rules/subjects";
import type { RuleSubject } from "../../../components/observability/rules/types";
import { ADDON_ALERTS } from "../../../stacks/addons/watched";

/** A model as the rules of a plan read it. No case has one of its name. */
const endpoint = { model: "planned", namespace: "model-planned" } as ScaledModel["endpoint"];
const SLEEPER = {
  endpoint,
  served: [endpoint],
  scaling: {
    by: "keda",
    min: 0,
    max: 3,
    signals: [{ on: "queue", target: 4 }],
    pollSeconds: 15,
    scaleDownWindowSeconds: 600,
    fallbackReplicas: 1,
    schedule: [],
    spareReplicas: 0,
    idleSeconds: 1200,
    coldStartSeconds: 630,
    spikeToServed: { scrape: 15, poll: 15, node: 200, load: 400, total: 630 },
  },
} satisfies Pick<ScaledModel, "endpoint" | "served" | "scaling">;

export const PLANNED_MODEL: PlannedModel = {
  name: "planned",
  minReplicas: 0,
  maxReplicas: 3,
  startupBudgetSeconds: 700,
  scaling: SLEEPER.scaling,
};

const PLANNED_POOL: PlannedCosts["pools"][number] = {
  name: "planned",
  role: "gpu",
  selector: { "inference-stacks.io/pool": "planned" },
  minNodes: 2,
  scheduledNodeHours: 0,
  usdPerNodeHour: 2,
  monthlyUsd: 2920,
};

/** What only a plan can say. */
export const PLANNED_SUBJECTS: readonly RuleSubject[] = [
  sleepersByOtherNames([
    { model: "planned", namespace: "model-planned", node: { group: "cluster", port: 9080, metrics: [] } },
  ]),
  expectedMetrics([{ job: "observability/models", namespace: "model-planned" }]),
  plannedReplicas([PLANNED_MODEL]),
  plannedKinds({
    models: [{ name: "planned", task: "embedding" }],
    externalModels: [{ name: "elsewhere", task: "chat" }],
  }),
  serviceLevels(
    [{ name: "planned", serviceLevel: { availability: 0.999, ttftMs: 500, tokensPerSecond: 20, percentile: 95 } }],
    [{ model: "planned", names: ["planned-1.5"] }],
  ),
  plannedCost(
    {
      pools: [PLANNED_POOL],
      cost: { services: [] },
      models: [{ name: "planned" }],
    },
    [{ model: "planned", names: ["planned-1.5"] }],
  ),
  unmetRequests([SLEEPER]),
  silentModels({ streamIdleTimeoutSeconds: 600 }),
];

/** All rules, also those that only some environments have. */
export const ALL_SUBJECTS: readonly RuleSubject[] = [
  ...RULE_SUBJECTS,
  ...PLANNED_SUBJECTS,
  ...ADDON_ALERTS,
  karpenterAlerts,
  k3sCertificates,
  rdmaAlerts,
  gpuExporterAlerts,
];
