import { commitOf } from "../../engines/sources";
import { hubPrefix, revisionPrefix } from "../../planner/storage";
import type { ModelSource } from "../../planner/types";
import type { ModelConfig } from "./schema";

/** Key prefix of a model in the store, by revision where there are several. */
export function storeFolder(
  name: string,
  { domain, firstRevision, revisionOf }: Pick<ModelConfig, "domain" | "firstRevision" | "revisionOf">,
  source: ModelSource | undefined,
): string {
  const folder = hubPrefix(revisionOf?.model ?? name, domain);
  const commit = commitOf(source);
  return commit === undefined || firstRevision === undefined ? folder : revisionPrefix(folder, commit, firstRevision);
}
