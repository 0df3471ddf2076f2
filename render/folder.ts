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
import { type PlanDigest, planDigest } from "../report/plan-digest";
import type { RenderedFile } from "./files";

/** File that says that a folder was rendered, from which environment and plan, and which of its files. */
const MARKER = ".inference-stacks.json";

const markerSchema = z.object({
  environment: z.string(),
  files: z.array(z.string()),
  plan: planDigest.optional().catch(undefined),
});

/** What a folder shall hold. */
export interface FolderContent {
  readonly folder: string;
  readonly environment: string;
  readonly files: readonly RenderedFile[];
  /** That the files were made from. */
  readonly plan: PlanDigest;
}

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

/** The plan that a folder was rendered from. Undefined: it was not, or by a release that did not record it. */
export function renderedPlan(folder: string): PlanDigest | undefined {
  return readMarker(folder)?.plan;
}

/** The environment that a folder was rendered from. Undefined: it was not rendered. */
export function renderedEnvironment(folder: string): string | undefined {
  return readMarker(folder)?.environment;
}

/** Folders in a folder that hold the rendering of an environment of their own name. */
export function renderedEnvironments(parent: string): string[] {
  if (!existsSync(parent)) {
    return [];
  }
  return readdirSync(parent).filter((name) => readMarker(join(parent, name))?.environment === name);
}

/**
 * Replaces the content of folders, and removes others, all or nothing: everything is written next to them first, then each takes its
 * place in one step.
 *
 * @param removed rendered folders that go.
 * @returns what changed, folder by folder.
 * @throws FolderRefusedError, or the file system's error; the folders are as they were then.
 */
export function replaceFolders(contents: readonly FolderContent[], removed: readonly string[] = []): FolderChanges[] {
  for (const { folder, environment } of contents) {
    assertReplaceable(folder, environment);
  }
  const work: string[] = [];
  const undo: (() => void)[] = [];
  try {
    const swaps = contents.map((content) => staged(content, work));
    const removals = removed.map((folder) => ({ target: folder, old: join(workFolder(folder, work), "old") }));
    for (const swap of [...swaps, ...removals]) {
      undo.push(swapped(swap));
    }
    return swaps.map(({ changes }) => changes);
  } catch (error) {
    for (const back of undo.reverse()) {
      back();
    }
    throw error;
  } finally {
    for (const folder of work) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** What a killed rendering leaves next to a folder: `.<folder>-XXXXXX` with the content to come, and the content of before. */
const WORK_FOLDER = /^\.(.+)-[A-Za-z0-9]{6}$/;
const WORK_CONTENT: readonly string[] = ["new", "old"];

/**
 * Ends what a killed rendering began: a folder that it had moved away is back, and its work is removed.
 *
 * @param parent folder of rendered folders; nothing happens where there is none.
 * @param names of the rendered folders. @default any
 * @throws the file system's error.
 */
export function recoverFolders(parent: string, names?: readonly string[]): void {
  if (!existsSync(parent)) {
    return;
  }
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const name = WORK_FOLDER.exec(entry.name)?.[1];
    if (name === undefined || !entry.isDirectory() || (names !== undefined && !names.includes(name))) {
      continue;
    }
    const work = join(parent, entry.name);
    if (!readdirSync(work).every((file) => WORK_CONTENT.includes(file))) {
      continue;
    }
    const before = join(work, "old");
    if (!existsSync(join(parent, name)) && readMarker(before) !== undefined) {
      renameSync(before, join(parent, name));
    }
    rmSync(work, { recursive: true, force: true });
  }
}

interface Swap {
  readonly target: string;
  /** What takes its place. @default nothing */
  readonly fresh?: string;
  /** Where it goes. */
  readonly old: string;
}

/** Writes what a folder shall hold next to it. @param work collects folders to remove in the end. */
function staged(
  { folder, environment, files, plan }: FolderContent,
  work: string[],
): Swap & { readonly changes: FolderChanges } {
  mkdirSync(dirname(folder), { recursive: true });
  // Where a link points to, so that the link stays.
  const target = existsSync(folder) ? realpathSync(folder) : folder;
  const changes = compareWith(target, files);
  const own = workFolder(target, work);
  const fresh = join(own, "new");
  for (const { path, text } of files) {
    mkdirSync(dirname(join(fresh, path)), { recursive: true });
    writeFileSync(join(fresh, path), text);
  }
  const marker = { environment, files: files.map(({ path }) => path), plan };
  writeFileSync(join(fresh, MARKER), `${JSON.stringify(marker, undefined, 2)}\n`);
  return { target, fresh, old: join(own, "old"), changes };
}

/** A new folder on the same disk as another one. */
function workFolder(target: string, work: string[]): string {
  const folder = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  work.push(folder);
  return folder;
}

/** Puts a folder in the place of another one. @returns what takes it back. */
function swapped({ target, fresh, old }: Swap): () => void {
  const wasThere = existsSync(target);
  const restore = () => wasThere && renameSync(old, target);
  if (wasThere) {
    renameSync(target, old);
  }
  try {
    if (fresh !== undefined) {
      renameSync(fresh, target);
    }
  } catch (error) {
    restore();
    throw error;
  }
  return () => {
    if (fresh !== undefined) {
      renameSync(target, fresh);
    }
    restore();
  };
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
