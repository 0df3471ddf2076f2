import { modelNamespaceName } from "../../../names/namespaces";
import type { ModelPlan } from "../../../planner/types";
import type { RecordingRule, RuleSubject } from "./types";

/** Planned replicas as series, so that rules are the same for every plan. */
export const PLANNED = {
  start: "inference:planned_start_seconds",
  min: "inference:planned_min_replicas:count",
  max: "inference:planned_max_replicas:count",
} as const;

const ABOUT: Readonly<Record<keyof typeof PLANNED, string>> = {
  start: "Seconds until a new replica of a model answers, its node and start margin included.",
  min: "Replicas that run at least; 0: the model sleeps without requests.",
  max: "Replicas that run at most.",
};

export type PlannedModel = Pick<
  ModelPlan,
  "name" | "minReplicas" | "maxReplicas" | "startupBudgetSeconds" | "scaling" | "serverOf"
>;

/** Guests use their host's replicas. */
export function plannedReplicas(models: readonly PlannedModel[]): RuleSubject {
  return {
    subject: "planned-replicas",
    recording: models.filter(({ serverOf }) => serverOf === undefined).flatMap(ofModel),
    alerts: [],
  };
}

function ofModel({ name, minReplicas, maxReplicas, startupBudgetSeconds, scaling }: PlannedModel): RecordingRule[] {
  const values: Readonly<Record<keyof typeof PLANNED, number>> = {
    // The budget assumes a local image; a new node pulls it first.
    start: Math.max(startupBudgetSeconds + (scaling?.spikeToServed.node ?? 0), scaling?.spikeToServed.total ?? 0),
    min: minReplicas,
    max: maxReplicas,
  };
  const labels = { namespace: modelNamespaceName(name), model: name };
  return (Object.keys(PLANNED) as (keyof typeof PLANNED)[]).map((key) => ({
    record: PLANNED[key],
    expr: `vector(${values[key]})`,
    labels,
    about: ABOUT[key],
    cases: {
      gives: {
        series: {},
        at: "5m",
        samples: { [`${PLANNED[key]}{namespace="${labels.namespace}",model="${name}"}`]: values[key] },
      },
    },
  }));
}
