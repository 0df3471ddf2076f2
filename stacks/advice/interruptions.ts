import { requestTimes } from "../../planner/request-times";
import { hostsOf } from "../../planner/shared-servers";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Models of one replica that every change takes away for a while: nothing can start beside what runs. */
export function interruptedModels({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return hostsOf(plan.models)
    .filter(({ minReplicas, resources }) => minReplicas === 1 && resources.gpus > 0)
    .map((model) => ({
      severity: "advisory",
      rule: "interrupted-by-changes",
      subject: `models.${model.name}`,
      message: `a change of ${model.name} interrupts it for up to ${minutes(model.startupBudgetSeconds)}, once what runs there has ended (up to ${minutes(model.drainSeconds)}): its one replica is replaced in place, for no GPU is kept free for a second one. replicas: {min: 2} serves meanwhile.`,
    }));
}

/** Requests that a node's or a proxy's leave may cut, since the environment says that it waits for less than they may take. */
export function cutRequests({ environment }: Pick<Advised, "environment">): CapacityProblem[] {
  const { requestTimeoutSeconds, drainSeconds } = requestTimes(environment.gateway);
  return drainSeconds >= requestTimeoutSeconds
    ? []
    : [
        {
          severity: "advisory",
          rule: "cut-requests",
          subject: "gateway.drainSeconds",
          message: `an answer may take ${minutes(requestTimeoutSeconds)}, but who leaves waits ${minutes(drainSeconds)}: longer ones are cut in the middle by every update and node drain. Remove drainSeconds, or lower requestTimeoutSeconds to ${drainSeconds}.`,
        },
      ];
}

function minutes(seconds: number): string {
  return `${Math.ceil(seconds / 60)} min`;
}
