import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Models with a service level: whoever declares one must not read a green plan as a promise of it. */
export function declaredLevels({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  const declared = plan.models.filter(({ serviceLevel }) => serviceLevel);
  if (declared.length === 0) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "service-level-not-planned",
      subject: "models",
      message: `${declared.map(({ name }) => name).join(", ")}: the service level is written down, but nothing is sized or alerted on by it yet. What the plan keeps is contextTokens and concurrency; measure the times with npm run smoke.`,
    },
  ];
}
