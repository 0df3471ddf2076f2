import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { userCache } from "../../names/user-cache";
import type { Part } from "./part";
import { type PinnedModule, pinnedVersion } from "./pins";

/** Exceeds any installation: older temporary folders are stale. */
const LEFT_OVER_MS = 6 * 3_600_000;

export function cacheFolder(): string {
  return userCache("parts");
}

/** Folder by pinned version; undefined for Debian packages. */
export function partFolder(part: Part): string | undefined {
  const version = pinnedVersion(part);
  return version === undefined ? undefined : join(cacheFolder(), `${part.name}-${version}`);
}

/** Same. @throws Error for a Debian package. */
export function keptFolder(part: Part): string {
  const folder = partFolder(part);
  if (folder === undefined) {
    throw new Error(`${part.name} is a package of Debian, which is not kept in the cache`);
  }
  return folder;
}

/** Folder of a module's files downloaded without Go. */
export function keptModule({ module, version }: PinnedModule): string {
  return join(cacheFolder(), "modules", `${module}@${version}`);
}

export function logFile(name: string): string {
  return join(cacheFolder(), "logs", `${name}.log`);
}

/**
 * Fills a temporary folder and renames it, so the final one is always complete. Replaces old
 * content, but keeps a concurrent process' equal result.
 */
export async function publish(folder: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${folder}.tmp-${randomBytes(4).toString("hex")}`;
  removeLeftOver(dirname(folder));
  const before = identityOf(folder);
  mkdirSync(temporary, { recursive: true });
  try {
    await fill(temporary);
    if (before !== undefined && identityOf(folder) === before) {
      rmSync(folder, { recursive: true, force: true });
    }
    renameUnlessThere(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Changes when a folder is recreated. */
function identityOf(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.birthtimeMs}`;
}

/** Removes temporary folders of killed installations; recent ones may still be in use. */
function removeLeftOver(parent: string): void {
  const names = existsSync(parent) ? readdirSync(parent) : [];
  for (const folder of names.filter((name) => /\.tmp-[0-9a-f]+$/.test(name)).map((name) => join(parent, name))) {
    const { mtimeMs = Date.now() } = statSync(folder, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LEFT_OVER_MS) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      throw error;
    }
  }
}
