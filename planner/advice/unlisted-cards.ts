import { gfxOfOverride, HSA_OVERRIDE } from "../../catalog/gfx";
import { type AmdSupport, gpuModels } from "../../catalog/shapes";
import { servingCards } from "../hardware/verdict";
import type { CapacityProblem, DeploymentPlan } from "../types";

/** Models on AMD cards outside AMD's list for the images' ROCm: untested by AMD, may run. */
export function unlistedCards({
  plan: { pools, models },
}: {
  readonly plan: Pick<DeploymentPlan, "pools" | "models">;
}): CapacityProblem[] {
  return pools.flatMap(({ name, shape: { gpu } }): CapacityProblem[] => {
    const here = models.filter((model) => model.pool === name);
    if (gpu?.support === undefined || gpu.support.rocm === "supported" || here.length === 0) {
      return [];
    }
    const names = here.map((model) => model.name).join(", ");
    const listed = servingCards(here, "amd", ({ support }) => support?.rocm === "supported");
    const others = listed.length === 0 ? "" : ` It lists these, which serve the same: ${listed.join(", ")}.`;
    return [
      {
        severity: "advisory",
        rule: "unlisted-card",
        subject: `pools.${name}`,
        message: `AMD does not list ${gpu.model} for the ROCm of our images: ${reasonToHope(gpu.support, gpu.abilities?.gfx)}. AMD does not test it: see ${names} answer before others rely on it.${others}`,
      },
    ];
  });
}

function reasonToHope({ rocm, hsaOverride }: AmdSupport, gfx: string | undefined): string {
  if (rocm === "no") {
    return "it is one that older releases supported";
  }
  if (hsaOverride !== undefined) {
    return `under ${HSA_OVERRIDE}=${hsaOverride}, which its pods get unless the environment says another, ${gfx} runs code made for ${gfxOfOverride(hsaOverride)}`;
  }
  const sibling = gpuModels.find(({ abilities, support }) => abilities?.gfx === gfx && support?.rocm === "supported");
  return sibling === undefined
    ? `the engine's image has code for ${gfx}`
    : `it is ${gfx}, as ${sibling.model} is, which AMD lists`;
}
