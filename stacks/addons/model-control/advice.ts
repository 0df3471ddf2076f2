import type { CapacityProblem, PoolPlan } from "../../../planner/types";
import { EXAMPLE_CONTROL_IMAGE, type ModelControlSettings } from "./config";

/** Its architecture, which most images do not support: untainted Arm pools attract its pods. */
export function controlImageArchitecture(
  { image }: Pick<ModelControlSettings, "image">,
  pools: readonly Pick<PoolPlan, "name" | "shape" | "taints">[],
): CapacityProblem[] {
  const arm = pools.filter(({ shape, taints }) => shape.cpu.arch === "arm64" && taints.length === 0);
  if (image === EXAMPLE_CONTROL_IMAGE || arm.length === 0) {
    return [];
  }
  const platforms = [...new Set(pools.filter(({ taints }) => taints.length === 0).map(({ shape }) => shape.cpu.arch))];
  return [
    {
      severity: "advisory",
      rule: "image-architecture",
      subject: "modelControl.image",
      message: `${image} is your own, of unknown CPU architectures; its pods run on ${arm.map(({ name }) => name).join(", ")}, of arm64. Build it with --platform ${platforms.map((each) => `linux/${each}`).join(",")} (docs/model-control.md).`,
    },
  ];
}

/** Only users can build the model control API's image. */
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
