import { engineOf } from "../../engines";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Engines that new users should avoid; production environments are refused. */
export function legacyEngines({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return plan.models.flatMap(({ name, engine }): CapacityProblem[] => {
    const { label, legacy } = engineOf(engine);
    return legacy === undefined
      ? []
      : [
          {
            severity: "advisory",
            rule: "legacy-engine",
            subject: `models.${name}`,
            message: `${label} is a legacy engine: ${legacy}. Production refuses it. Move models.${name} to another engine`,
          },
        ];
  });
}
