import { engineOf } from "../../engines";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";

/** Image models reach only the model store: requests must contain their images. */
export function imagesByUrl({ plan }: { readonly plan: Pick<DeploymentPlan, "models"> }): CapacityProblem[] {
  const models = plan.models.filter(
    ({ takesImages, engine }) => takesImages && engineOf(engine).weightsFrom === "store",
  );
  return models.map(({ name }) => ({
    severity: "advisory",
    rule: "images-by-url",
    subject: `models.${name}`,
    message: `${name} takes images, and its pods fetch none: a request with an https:// image_url fails. Clients send images as data: URLs (docs/network.md).`,
  }));
}
