import { originOf } from "../engines/sources";
import type { ModelSource } from "../planner/types";

/** Where a model comes from, in a word: its repository with a commit's first digits, its bucket or its tag. */
export function sourceName(source: ModelSource): string {
  const { name, revision = "main" } = originOf(source);
  return revision === "main" ? name : `${name}@${revision.slice(0, 12)}`;
}
