/** `model: hf://org/name[@revision]`: described by repository files, which `npm run pin` keeps. */
import { engineOf } from "../../../engines";
import { parseSource, sourcePatternOf } from "../../../engines/sources";
import type { WrittenModel } from "./canary";

export interface HubModel {
  /** `organization/name` */
  readonly repository: string;
  /** Commit, branch or tag. */
  readonly revision: string;
  /** Also the source of weights, because the file names no other. */
  readonly isSource: boolean;
}

const HUB_MODEL = sourcePatternOf(["huggingface"]);

/** From the environment file's folder. */
const KEPT = "models/hf";

export function isHubModel(model: string): boolean {
  return HUB_MODEL.test(model);
}

/** Folder of kept files, from the environment file's folder. */
export function hubFolder({ repository, revision }: Pick<HubModel, "repository" | "revision">): string {
  return `${KEPT}/${repository}@${revision}`;
}

/**
 * Repository models with their kept config.json; engines that read repositories take the weights
 * there.
 */
export function withHubModels(models: Readonly<Record<string, WrittenModel>>): Record<string, WrittenModel> {
  return Object.fromEntries(Object.entries(models).map(([name, model]) => [name, withKeptConfig(model)]));
}

function withKeptConfig(written: WrittenModel): WrittenModel {
  const { model, ...rest } = written;
  if (model === undefined || rest.config !== undefined || !isHubModel(model)) {
    return written;
  }
  const repository = parseSource(model);
  if (repository?.kind !== "huggingface") {
    return written;
  }
  const isSource = rest.source === undefined && engineOf(rest.engine).sources.includes("huggingface");
  const hub: HubModel = { repository: repository.repository, revision: repository.revision, isSource };
  return { ...rest, config: `${hubFolder(hub)}/config.json`, ...(isSource && { source: model }), hub };
}
