/** Where a sync Job takes a repository from. */
import { huggingFaceToken } from "./credentials.ts";
import { FolderRepository } from "./folder.ts";
import { HuggingFaceRepository, type Repository } from "./hugging-face.ts";

/** A folder of a bundle, with the SHA-256 of its manifest. */
export interface BundledFolder {
  readonly folder?: string | undefined;
  readonly manifestSha256?: string | undefined;
}

/** The repository in its folder where there is one, else at the Hub. */
export function repositoryOf(repository: string, { folder, manifestSha256 }: BundledFolder): Repository {
  return folder
    ? new FolderRepository(repository, folder, manifestSha256 ?? "")
    : new HuggingFaceRepository(repository, huggingFaceToken(), process.env.HF_ENDPOINT);
}
