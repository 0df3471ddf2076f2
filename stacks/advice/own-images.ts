import { parseImage } from "../../catalog/image-reference";
import { engineOf } from "../../engines";
import type { CapacityProblem, DeploymentPlan, ModelPlan } from "../../planner/types";

/** Unknown facts of own engine images. */
export function ownImages({ plan }: { readonly plan: Pick<DeploymentPlan, "models"> }): CapacityProblem[] {
  return plan.models.flatMap((model) => (model.image && model.serverOf === undefined ? [advice(model)] : []));
}

function advice({ name, engine, engineVersion, image, gpuVendor, cpuArch }: ModelPlan): CapacityProblem {
  const { reference = "", platforms, cuda, rocm } = image ?? {};
  const unknown = [
    ...(parseImage(reference).digest === undefined
      ? ["no digest: anyone who can push to its registry can replace it"]
      : []),
    ...(platforms ? [] : [`platforms not stated: it must be made for linux/${cpuArch}`]),
    ...(gpuVendor === "nvidia" && cuda === undefined
      ? ["CUDA not stated: the driver of the nodes is not checked (image.cuda)"]
      : []),
    ...(gpuVendor === "amd" && rocm === undefined
      ? ["ROCm not stated: the driver of the nodes is not checked (image.rocm)"]
      : []),
    ...(gpuVendor === undefined ? [] : ["which cards it has code for is not known"]),
    "who signed it is not known here",
  ];
  return {
    severity: "advisory",
    rule: "own-image",
    subject: `models.${name}.image`,
    message: `${reference} is planned as ${engineOf(engine).label} ${engineVersion}; nothing checks that it is. ${unknown.map(sentence).join(" ")} (docs/own-images.md)`,
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
