/**
 * A node's cache of weights: a folder for each model, and in it one for each manifest, named by its SHA-256. Files next to
 * that folder describe it: `<sha256>.json` its size, `<sha256>.complete` that all its files are there, `<sha256>.used`
 * when a pod last had it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** Last state of a model's copy, for the log of pods that wait for it. */
export const STATUS = "status";

export const SHA256 = /^[0-9a-f]{64}$/;

/** Of `st_blocks`, whatever the file system. */
const BLOCK_BYTES = 512;

export interface CachedFolder {
  readonly model: string;
  readonly sha256: string;
  /** Of all its files, complete or not. */
  readonly bytes: number;
  /** Milliseconds since 1970; 0: never. */
  readonly usedAt: number;
}

type Named = Pick<CachedFolder, "model" | "sha256">;

export function folderPath(root: string, { model, sha256 }: Named): string {
  return join(root, model, sha256);
}

export function completeMarker(folder: string): string {
  return `${folder}.complete`;
}

/** Every folder of the cache, complete or not. */
export function cachedFolders(root: string): CachedFolder[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: model }) =>
      readdirSync(join(root, model), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && SHA256.test(entry.name))
        .map(({ name: sha256 }) => {
          const path = folderPath(root, { model, sha256 });
          return { model, sha256, bytes: describedBytes(path), usedAt: modifiedAt(`${path}.used`) };
        }),
    );
}

/** What a folder will hold, or 0 for one that a crash left without a description: its files are removed with it. */
function describedBytes(folder: string): number {
  try {
    return Number((JSON.parse(readFileSync(`${folder}.json`, "utf8")) as { bytes: number }).bytes);
  } catch {
    return 0;
  }
}

/** Bytes that its files take on the disk now. */
export function bytesOnDisk(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).blocks * BLOCK_BYTES, 0);
}

/** Brings a folder to the disk: a marker that outlives a power failure must not outlive the files. */
export async function flush(folder: string): Promise<void> {
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const handle = await open(join(folder, name));
    await handle.sync().finally(() => handle.close());
  }
}

function modifiedAt(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

export function markUsed(folder: string): void {
  writeFileSync(`${folder}.used`, "");
}

/** The folder first: what is left after a crash is known by its description. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const part of ["complete", "used", "json"]) {
    rmSync(`${folder}.${part}`, { force: true });
  }
}

/**
 * Folders to remove so that `bytes` more fit, least recently used first.
 *
 * @param held folders that pods use, or may be about to.
 * @returns undefined where the folders in use leave too little.
 */
export function foldersToEvict(
  folders: readonly CachedFolder[],
  held: (folder: CachedFolder) => boolean,
  room: { readonly bytes: number; readonly capacityBytes: number },
): CachedFolder[] | undefined {
  const used = folders.reduce((sum, { bytes }) => sum + bytes, 0);
  let missing = used + room.bytes - room.capacityBytes;
  const evicted: CachedFolder[] = [];
  for (const folder of folders.filter((each) => !held(each)).sort((a, b) => a.usedAt - b.usedAt)) {
    if (missing <= 0) {
      break;
    }
    evicted.push(folder);
    missing -= folder.bytes;
  }
  return missing <= 0 ? evicted : undefined;
}
