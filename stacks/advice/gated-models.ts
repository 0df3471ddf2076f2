import { findModel } from "../../catalog/models";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Models whose repository asks for accepted terms, in an environment without a token: their download would fail. */
export function gatedModels({ plan, secrets }: Pick<Advised, "plan" | "secrets">): CapacityProblem[] {
  const gated = plan.models.filter(
    ({ source }) => source.kind === "huggingface" && findModel(source.repository)?.gated === true,
  );
  if (secrets.huggingFaceToken || gated.length === 0) {
    return [];
  }
  const { environment } = plan;
  return [
    {
      severity: "advisory",
      rule: "gated-models",
      subject: "huggingFaceToken",
      message: `${gated.map((m) => m.name).join(", ")}: gated on Hugging Face, and no token is set: the download would fail. Accept the terms there, then: pulumi config set --secret inference-stacks:huggingFaceToken -s ${environment}`,
    },
  ];
}
