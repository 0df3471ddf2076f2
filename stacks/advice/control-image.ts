import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";
import { EXAMPLE_CONTROL_IMAGE } from "../config/sections/model-control";

/** The image of the model control API is one that only its users can make. */
export function controlImage({
  environment,
}: {
  readonly environment: Pick<EnvironmentConfig, "modelControl">;
}): CapacityProblem[] {
  const { enabled, image } = environment.modelControl;
  if (!enabled || image !== EXAMPLE_CONTROL_IMAGE) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "model-control-image",
      subject: "modelControl.image",
      message: `${image} is a placeholder, and its pods would never start. Before "pulumi up", build and push services/model-control and name that image (docs/model-control.md), or write enabled: false.`,
    },
  ];
}
