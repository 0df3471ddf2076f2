/** A repository as a folder: its files, and the manifest that says which they are. What a bundle has of a model. */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository, RepositoryFile } from "./hugging-face.ts";
import { MANIFEST, type Manifest, refuseUnsafePaths } from "./model-files.ts";
import { FinalError } from "./retry.ts";

const COMMIT = /^[0-9a-f]{40}$/;

export class FolderRepository implements Repository {
  readonly repository: string;
  private readonly folder: string;
  private readonly manifestSha256: string;
  private read: Manifest | undefined;

  /**
   * @param repository that the folder must hold: `organization/name`.
   * @param manifestSha256 that its manifest must have: a writer of the folder cannot put other files there.
   */
  constructor(repository: string, folder: string, manifestSha256: string) {
    this.repository = repository;
    this.folder = folder;
    this.manifestSha256 = manifestSha256;
  }

  /**
   * The commit that the folder was made of. A branch or tag is resolved as of then.
   *
   * @throws FinalError when the folder is another one, or of another commit.
   */
  async commit(revision: string): Promise<string> {
    const { repository, commit } = this.manifest();
    if (repository !== this.repository || (COMMIT.test(revision) && revision !== commit)) {
      throw new FinalError(
        `${this.folder} holds ${repository}@${commit}, not ${this.repository}@${revision}: make the bundle again`,
      );
    }
    return commit;
  }

  async files(): Promise<RepositoryFile[]> {
    return this.manifest().files.map((file) => ({ ...file, gitBlob: "" }));
  }

  async text(_commit: string, path: string): Promise<string> {
    refuseUnsafePaths(this.folder, [path]);
    return readFile(join(this.folder, path));
  }

  async *download(_commit: string, file: RepositoryFile): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(join(this.folder, file.path), { highWaterMark: 2 ** 20 });
    } catch (error) {
      throw unreadable(join(this.folder, file.path), error);
    }
  }

  private manifest(): Manifest {
    if (this.read === undefined) {
      const path = join(this.folder, MANIFEST);
      const text = readFile(path);
      const sha256 = createHash("sha256").update(text).digest("hex");
      if (sha256 !== this.manifestSha256) {
        throw new FinalError(
          `${path} has the SHA-256 ${sha256}, and bundle.json says ${this.manifestSha256}: the folder on this machine is ` +
            "not the one that the deployment knows. Copy the bundle to it again",
        );
      }
      const manifest = JSON.parse(text) as Manifest;
      refuseUnsafePaths(
        path,
        manifest.files.map((file) => file.path),
      );
      this.read = manifest;
    }
    return this.read;
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): FinalError {
  return new FinalError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
}
