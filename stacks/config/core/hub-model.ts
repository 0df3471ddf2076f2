/** `model: hf://org/name[@revision]`: a model that is described by files of its repository, which `npm run pin` keeps. */
import { engineOf } from "../../../engines";
import { parseSource, sourcePatternOf } from "../../../engines/sources";
import type { WrittenModel } from "./canary";

/** The repository that describes a model. */
export interface HubModel {
  /** `organization/name` */
  readonly repository: string;
  /** Commit, branch or tag. */
  readonly revision: string;
  /** The repository is the source of its weights too, because the file names no other. */
  readonly isSource: boolean;
}

const HUB_MODEL = sourcePatternOf(["huggingface"]);

/** Kept descriptions of models, from the folder of the environment file. */
const KEPT = "models/hf";

/** Whether `models.<name>.model` names a repository. */
export function isHubModel(model: string): boolean {
  return HUB_MODEL.test(model);
}

/** Folder of a repository's kept files, from the folder of the environment file. */
export function hubFolder({ repository, revision }: Pick<HubModel, "repository" | "revision">): string {
  return `${KEPT}/${repository}@${revision}`;
}

/** The models, those of a repository with the config.json that is kept of it; engines that read repositories take the weights there. */
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
