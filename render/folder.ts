import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { z } from "zod";
import type { RenderedFile } from "./files";

/** File that says that a folder was rendered, from which environment, and which of its files. */
const MARKER = ".inference-stacks.json";

const markerSchema = z.object({ environment: z.string(), files: z.array(z.string()) });

/** What a rendering changed in the folder, as paths. */
export interface FolderChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

/** The folder must not be written; the message says why and what to do. */
export class FolderRefusedError extends Error {}

/**
 * Refuses a folder that holds anything but an earlier rendering of the environment.
 *
 * @throws FolderRefusedError
 */
export function assertReplaceable(folder: string, environment: string): void {
  if (!existsSync(folder)) {
    return;
  }
  if (!statSync(folder).isDirectory()) {
    throw new FolderRefusedError(`${folder} is no folder`);
  }
  const files = filesIn(folder);
  if (files.length === 0) {
    return;
  }
  const marker = readMarker(folder);
  if (!marker) {
    throw new FolderRefusedError(`${folder} holds files that were not rendered: name an empty or new folder`);
  }
  if (marker.environment !== environment) {
    throw new FolderRefusedError(
      `${folder} was rendered from "${marker.environment}", not "${environment}": name another folder, or delete this one first`,
    );
  }
  const ours = new Set([...marker.files, MARKER]);
  const foreign = files.filter((file) => !ours.has(file));
  if (foreign.length > 0) {
    throw new FolderRefusedError(
      `${folder} holds files that were not rendered: ${foreign.slice(0, 5).join(", ")}${foreign.length > 5 ? ", …" : ""}. Move them away: rendering replaces the whole folder`,
    );
  }
}

/**
 * Replaces the content of a folder, all or nothing: everything is written beside it first and takes its place in one step.
 *
 * @throws FolderRefusedError, or the file system's error; the folder is as it was then.
 */
export function replaceFolder(folder: string, environment: string, files: readonly RenderedFile[]): FolderChanges {
  assertReplaceable(folder, environment);
  mkdirSync(dirname(folder), { recursive: true });
  // Where a link points to, so that the link stays.
  const target = existsSync(folder) ? realpathSync(folder) : folder;
  const changes = compareWith(target, files);
  const work = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    const fresh = join(work, "new");
    for (const { path, text } of files) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true });
      writeFileSync(join(fresh, path), text);
    }
    const marker = { environment, files: files.map(({ path }) => path) };
    writeFileSync(join(fresh, MARKER), `${JSON.stringify(marker, undefined, 2)}\n`);
    swap(fresh, target, join(work, "old"));
  } finally {
    rmSync(work, { recursive: true });
  }
  return changes;
}

function swap(fresh: string, target: string, old: string): void {
  if (!existsSync(target)) {
    renameSync(fresh, target);
    return;
  }
  renameSync(target, old);
  try {
    renameSync(fresh, target);
  } catch (error) {
    renameSync(old, target);
    throw error;
  }
}

function compareWith(folder: string, files: readonly RenderedFile[]): FolderChanges {
  const before = new Set(existsSync(folder) ? filesIn(folder).filter((file) => file !== MARKER) : []);
  const kept = files.filter(({ path }) => before.has(path));
  const same = (file: RenderedFile) => readFileSync(join(folder, file.path), "utf8") === file.text;
  const now = new Set(files.map(({ path }) => path));
  return {
    added: files.filter(({ path }) => !before.has(path)).map(({ path }) => path),
    changed: kept.filter((file) => !same(file)).map(({ path }) => path),
    removed: [...before].filter((path) => !now.has(path)).sort(),
    unchanged: kept.filter(same).map(({ path }) => path),
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

function readMarker(folder: string): z.output<typeof markerSchema> | undefined {
  try {
    return markerSchema.parse(JSON.parse(readFileSync(join(folder, MARKER), "utf8")));
  } catch {
    return undefined;
  }
}
