import type { CapacityProblem } from "../../../planner/types";
import { EXAMPLE_CONTROL_IMAGE, type ModelControlSettings } from "./config";

/** The image of the model control API is one that only its users can make. */
export function controlImage({ image }: Pick<ModelControlSettings, "image">): CapacityProblem[] {
  if (image !== EXAMPLE_CONTROL_IMAGE) {
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
