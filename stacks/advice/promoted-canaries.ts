import { isDeepStrictEqual } from "node:util";
import type { CapacityProblem, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

/** Canaries equal to their models: a promotion step, afterwards wasted GPUs. */
export function promotedCanaries({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return plan.models.flatMap((canary): CapacityProblem[] => {
    const model = plan.models.find(({ name }) => name === canary.revisionOf?.model);
    return model === undefined || !isDeepStrictEqual(identityOf(model), identityOf(canary))
      ? []
      : [
          {
            severity: "advisory",
            rule: "promoted-canary",
            subject: `models.${canary.name}`,
            message: `${model.name} is what its canary is, ${canary.monthlyUsd.toFixed(2)} USD a month: once ${model.name} is ready, remove models.${model.name}.canary (docs/canary.md).`,
          },
        ];
  });
}

function identityOf({ source, quantization, engineVersion, image }: ModelPlan) {
  return { source, quantization, engineVersion, image };
}
