import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Choice } from "../components/storage/scripts/choices.ts";
import { HuggingFaceRepository, type RepositoryFile } from "../components/storage/scripts/hugging-face.ts";
import { MANIFEST, type Manifest, type ManifestFile } from "../components/storage/scripts/model-files.ts";
import { FinalError } from "../components/storage/scripts/retry.ts";
import { httpGet } from "../downloads/http";
import { ProxyVariableError } from "../downloads/proxy-variables";
import { measure, type Saved, save } from "../downloads/save";
import { BUNDLE_FOLDERS } from "../stacks/bundle/bundle-file";

/** Hugging Face repository at a revision, with the needed files. */
export interface ModelRequest {
  readonly repository: string;
  readonly revision: string;
  readonly choose: Choice;
}

export interface ModelInFolder {
  readonly repository: string;
  readonly revision: string;
  readonly commit: string;
  readonly folder: string;
  readonly files: readonly (Saved & { readonly path: string })[];
  readonly manifestSha256: string;
}

/** Folder of a repository in `models`: `organization--name@revision`. */
export function modelFolder({ repository, revision }: Pick<ModelRequest, "repository" | "revision">): string {
  return `${repository}@${revision}`.replaceAll("/", "--");
}

export interface Hub {
  /** Undefined: huggingface.co. */
  readonly endpoint: string | undefined;
  /** Opens gated repositories. */
  readonly token?: string | undefined;
}

/**
 * Downloads a repository into a folder: the files of a sync Job, and its manifest last. A branch is
 * resolved once; the folder keeps that commit.
 *
 * @throws Error with the repository, the file and the Hub's answer.
 */
export async function fetchModel(
  { repository, revision, choose }: ModelRequest,
  root: string,
  { endpoint, token }: Hub,
  onBytes: (bytes: number) => void,
): Promise<ModelInFolder> {
  const folder = modelFolder({ repository, revision });
  const below = join(root, BUNDLE_FOLDERS.models, folder);
  const complete = presentManifest(below, { repository });
  if (complete !== undefined) {
    return inFolder({ repository, revision, folder }, below, complete);
  }
  const hub = new HuggingFaceRepository(repository, token, endpoint, request);
  const commit = await hub.commit(revision);
  const listed = await hub.files(commit);
  const wanted = await choose(hub, commit, listed);
  const byPath = new Map(listed.map((file) => [file.path, file]));
  const files: ManifestFile[] = [];
  for (const path of wanted) {
    const file = byPath.get(path);
    if (file !== undefined) {
      files.push({ path, ...(await fetchFile(hub, commit, file, below, onBytes)) });
    }
  }
  const manifest: Manifest = {
    repository,
    commit,
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  };
  writeFileSync(join(below, MANIFEST), JSON.stringify(manifest, undefined, 2), { mode: 0o644 });
  openToAll(below, [MANIFEST, ...wanted]);
  return inFolder({ repository, revision, folder }, below, manifest);
}

/** Uses the proxies of all downloads; does not retry invalid proxy variables. */
async function request(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  try {
    return await httpGet(url, { headers });
  } catch (error) {
    throw error instanceof ProxyVariableError ? new FinalError(error.message) : error;
  }
}

async function fetchFile(
  hub: HuggingFaceRepository,
  commit: string,
  file: RepositoryFile,
  below: string,
  onBytes: (bytes: number) => void,
): Promise<Omit<ManifestFile, "path">> {
  const path = join(below, file.path);
  if (existsSync(path) && statSync(path).size === file.size) {
    const { sha256 } = await measure(path);
    if (file.sha256 === undefined || file.sha256 === sha256) {
      return { size: file.size, sha256 };
    }
    rmSync(path);
  }
  mkdirSync(dirname(path), { recursive: true });
  const expected = {
    bytes: file.size,
    ...(file.sha256 === undefined ? { gitBlob: file.gitBlob } : { sha256: file.sha256 }),
  };
  const source = (fromByte: number) => hub.download(commit, file, fromByte);
  const { sha256 } = await save(`${hub.repository}, ${file.path}`, path, source, expected, { resumes: true, onBytes });
  return { size: file.size, sha256 };
}

/** Pods read the folder as other users. */
function openToAll(below: string, paths: readonly string[]): void {
  for (const path of paths) {
    chmodSync(join(below, path), 0o644);
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      chmodSync(join(below, folder), 0o755);
    }
  }
  chmodSync(below, 0o755);
  chmodSync(dirname(below), 0o755);
}

/** Whether a repository's folder is complete, by manifest and file sizes. */
export function isModelThere(model: Pick<ModelRequest, "repository" | "revision">, root: string): boolean {
  return presentManifest(join(root, BUNDLE_FOLDERS.models, modelFolder(model)), model) !== undefined;
}

/** Manifest of a complete folder, as it is written last. */
function presentManifest(below: string, { repository }: { readonly repository: string }): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(below, MANIFEST), "utf8")) as Manifest;
    const isWhole = manifest.files.every(({ path, size }) => statSync(join(below, path)).size === size);
    return manifest.repository === repository && isWhole ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Hashes present files again: the disk may have lost data. */
async function inFolder(
  names: Pick<ModelInFolder, "repository" | "revision" | "folder">,
  below: string,
  { commit, files }: Manifest,
): Promise<ModelInFolder> {
  const saved: (Saved & { path: string })[] = [];
  const place = (path: string) => `${BUNDLE_FOLDERS.models}/${names.folder}/${path}`;
  for (const { path, sha256 } of files) {
    const found = await measure(join(below, path));
    if (found.sha256 !== sha256) {
      rmSync(join(below, path));
      rmSync(join(below, MANIFEST));
      throw new Error(`${names.repository}, ${path}: is damaged on the disk and was removed; run the command again`);
    }
    saved.push({ path: place(path), ...found });
  }
  const manifest = await measure(join(below, MANIFEST));
  return {
    ...names,
    commit,
    files: [...saved, { path: place(MANIFEST), ...manifest }],
    manifestSha256: manifest.sha256,
  };
}
