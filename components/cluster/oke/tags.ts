import type { MachineShape } from "../../../catalog/shapes";
import type { OkeSettings } from "./settings";

/** Key of the free-form tag on what is made for an environment, by us and by controllers in the cluster. */
export const ENVIRONMENT_TAG = "inference-stacks-environment";

/** Free-form tags by which people find what belongs to an environment, and what is left over after it is gone. */
export function environmentTags({ environment }: Pick<OkeSettings, "environment">): Readonly<Record<string, string>> {
  return { [ENVIRONMENT_TAG]: environment };
}

/** Key of the free-form tag by which a group of machines says their shape: the cloud knows it of each machine alone. */
export const SHAPE_TAG = "inference-stacks-shape";

/** Tags of a group of machines that join by themselves. */
export function machineTags(
  settings: Pick<OkeSettings, "environment">,
  { name }: Pick<MachineShape, "name">,
): Readonly<Record<string, string>> {
  return { ...environmentTags(settings), [SHAPE_TAG]: name };
}
