import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** A branch or tag may point elsewhere tomorrow; only a commit's full hash does not. */
const COMMIT = /^[0-9a-f]{40}$/;

/** Production models that follow a branch of their repository: what runs would change with somebody else's push. */
export function movingRevisions({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  const moving = plan.models.filter(({ source }) => source.kind === "huggingface" && !COMMIT.test(source.revision));
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
