import type { CapacityProblem } from "../planner/types";
import type { EnvironmentConfig } from "./config";
import { EXAMPLE_CONTROL_IMAGE } from "./config/sections/model-control";

/** What a reader of the plan must know of the model control API: its image is one that only they can make. */
export function modelControlProblems({ enabled, image }: EnvironmentConfig["modelControl"]): CapacityProblem[] {
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
