import { originOf } from "../engines/sources";
import type { ModelSource } from "../planner/types";

/** Repository with short commit, bucket, or tag. */
export function sourceName(source: ModelSource): string {
  const { name, revision = "main" } = originOf(source);
  return revision === "main" ? name : `${name}@${revision.slice(0, 12)}`;
}
