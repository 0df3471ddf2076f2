import { isPooling } from "../../../engines/served-model";
import type { ExternalModelPlan, ModelPlan } from "../../../planner/types";
import type { RecordingRule, RuleSubject } from "./types";

/** Series of 1 by `model`: some alerts apply to some kinds only. */
export const KIND = {
  brief: "inference:brief_model:info",
  external: "inference:external_model:info",
} as const;

export interface PlannedKinds {
  readonly models: readonly Pick<ModelPlan, "name" | "task">[];
  readonly externalModels: readonly Pick<ExternalModelPlan, "name" | "task">[];
}

export function plannedKinds({ models, externalModels }: PlannedKinds): RuleSubject {
  const brief = [...models, ...externalModels].filter(isPooling);
  return {
    subject: "planned-kinds",
    recording: [
      ...brief.map(({ name }) =>
        info(KIND.brief, name, "1 for each model that embeds or ranks: its answers are never long."),
      ),
      ...externalModels.map(({ name }) =>
        info(KIND.external, name, "1 for each model that is served outside of the cluster."),
      ),
    ],
    alerts: [],
  };
}

function info(record: string, model: string, about: string): RecordingRule {
  return {
    record,
    expr: "vector(1)",
    labels: { model },
    about,
    cases: { gives: { series: {}, at: "5m", samples: { [`${record}{model="${model}"}`]: 1 } } },
  };
}
