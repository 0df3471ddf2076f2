import type { MachineShape } from "../../../catalog/shapes";
import type { OkeSettings } from "./settings";

/** Free-form tag key on an environment's resources, including those of in-cluster controllers. */
export const ENVIRONMENT_TAG = "inference-stacks-environment";

/** Free-form tags that identify an environment's resources and its leftovers. */
export function environmentTags({ environment }: Pick<OkeSettings, "environment">): Readonly<Record<string, string>> {
  return { [ENVIRONMENT_TAG]: environment };
}

/** Free-form tag key for the shape of a machine group, which the cloud reports only per machine. */
export const SHAPE_TAG = "inference-stacks-shape";

export function machineTags(
  settings: Pick<OkeSettings, "environment">,
  { name }: Pick<MachineShape, "name">,
): Readonly<Record<string, string>> {
  return { ...environmentTags(settings), [SHAPE_TAG]: name };
}
