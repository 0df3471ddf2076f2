/** What of a repository is copied: of a model, and of an adapter. */
import { ADAPTER_CONFIG, type AdapterLimits, adapterFiles, checkAdapterConfig } from "./adapter-files.ts";
import { requireChatTemplate, type TemplateWanted } from "./chat-template.ts";
import type { Repository, RepositoryFile } from "./hugging-face.ts";
import { filesToCopy, shardsOf, weightForm } from "./model-files.ts";
import { FinalError } from "./retry.ts";

/** Paths to copy, of what a repository lists at a commit. */
export type Choice = (
  repository: Repository,
  commit: string,
  files: readonly RepositoryFile[],
) => Promise<readonly string[]>;

/**
 * A model: the best form of its weights, and what an engine reads in addition.
 * @param safetensorsOnly refuse PyTorch files: what is streamed into GPUs must be safetensors.
 * @param withCode as of `filesToCopy`.
 * @param template refuse a repository without a chat template. @default none is looked for
 */
export function modelFiles({
  safetensorsOnly,
  withCode,
  template,
}: {
  readonly safetensorsOnly: boolean;
  readonly withCode: boolean;
  readonly template?: TemplateWanted | undefined;
}): Choice {
  return async (repository, commit, files) => {
    const paths = files.map(({ path }) => path);
    const form = weightForm(paths);
    if (safetensorsOnly && !form.safetensors) {
      throw new FinalError(
        `${repository.repository} has no safetensors files, and only those can be streamed: set loading to "copy"`,
      );
    }
    if (template !== undefined) {
      await requireChatTemplate(repository, commit, paths, template);
    }
    const weights =
      form.index === undefined ? form.files : shardsOf(form.index, await repository.text(commit, form.index));
    return filesToCopy(paths, form, weights, withCode);
  };
}

/** @throws FinalError when the engine would not load what the repository has. */
export function adapterChoice(path: string, limits: AdapterLimits): Choice {
  return async (repository, commit, files) => {
    const wanted = adapterFiles(path, files, limits);
    checkAdapterConfig(path, await repository.text(commit, ADAPTER_CONFIG), limits);
    return wanted;
  };
}
