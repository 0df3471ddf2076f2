import type { OkeSettings } from "./settings";

/** Key of the free-form tag on what is made for an environment, by us and by controllers in the cluster. */
export const ENVIRONMENT_TAG = "inference-stacks-environment";

/** Free-form tags by which people find what belongs to an environment, and what is left over after it is gone. */
export function environmentTags({ environment }: Pick<OkeSettings, "environment">): Readonly<Record<string, string>> {
  return { [ENVIRONMENT_TAG]: environment };
}
