import { sessionsOf } from "../../planner/affinity";
import type { CapacityProblem, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

/** Session affinity with an obstacle. */
export function sessions({ plan, environment }: Pick<Advised, "plan" | "environment">): CapacityProblem[] {
  const kept = sessionsOf(environment.gateway.affinity, environment.models);
  const models = plan.models.filter(({ name, revisionOf }) => kept.has(name) && revisionOf === undefined);
  return models.flatMap((model): CapacityProblem[] => {
    const message = whyNot(model, plan.models, kept.get(model.name));
    return message === undefined
      ? []
      : [{ severity: "advisory", rule: "session-affinity", subject: `models.${model.name}`, message }];
  });
}

function whyNot(
  { name, minReplicas, maxReplicas }: ModelPlan,
  models: readonly ModelPlan[],
  affinity: string | undefined,
): string | undefined {
  const weight = models.find(({ revisionOf }) => revisionOf?.model === name)?.revisionOf?.weight ?? 0;
  if (weight > 0 && weight < 100) {
    return `its canary takes ${weight} % of the requests, and no session stays at a replica until that is 0 or 100: affinity "${affinity}" knows no shares (docs/affinity.md).`;
  }
  if (maxReplicas === 1) {
    return `there is one replica, which every request reaches: affinity "${affinity}" keeps nothing together. To fix it: affinity: none, or replicas.min: 2.`;
  }
  return minReplicas === maxReplicas
    ? undefined
    : `affinity "${affinity}" holds while the replicas stay the same: each that is added or goes moves about one session in as many as there are replicas (from ${minReplicas} to ${maxReplicas} here), and one that the gateway takes out for its errors moves its own. A session that moved starts with a cold cache (docs/affinity.md).`;
}
