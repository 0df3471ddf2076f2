import { commitOf } from "../../engines/sources";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/**
 * Production catalogue models without a commit: a push would change what runs. Users' sources are
 * refused (../revisions.ts).
 */
export function movingRevisions({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  const moving = plan.models.filter(({ source }) => source.kind === "huggingface" && commitOf(source) === undefined);
  if (plan.stage !== "production" || moving.length === 0) {
    return [];
  }
  const { environment } = plan;
  return [
    {
      severity: "advisory",
      rule: "moving-revisions",
      subject: "models",
      message: `${moving.map((m) => m.name).join(", ")}: no commit is named, a push to the repository changes what runs here. npm run pin -- ${environment} writes today's commits into the file.`,
    },
  ];
}
