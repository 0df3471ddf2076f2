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
      message: `${moving.map((m) => m.name).join(", ")}: no commit is pinned, so a push to the repository changes the model. Run npm run pin -- ${environment}, which writes the current commits.`,
    },
  ];
}
