import { readFileSync, statSync } from "node:fs";

/** A file named by a user. */
export class UnreadableFileError extends Error {
  constructor(
    /** Follows the file's name: `is a folder`. */
    readonly reason: string,
    readonly fix: string,
    readonly isMissing = false,
  ) {
    super(`${reason}; ${fix}`);
  }
}

/** Far above every configuration, model description and certificate. */
const MAX_BYTES = 5 * 1024 * 1024;

const REASONS: Readonly<Record<string, UnreadableFileError>> = {
  ENOENT: new UnreadableFileError("does not exist", "correct the path", true),
  ENOTDIR: new UnreadableFileError("does not exist: a part of its path is no folder", "correct the path", true),
  EACCES: new UnreadableFileError("may not be read by this user", "change its permissions"),
};

/**
 * Regular files of limited size only, so that a device or wrong path can neither fill memory nor
 * hang.
 *
 * @throws UnreadableFileError
 */
export function readTextFile(path: string, maxBytes = MAX_BYTES): string {
  try {
    const info = statSync(path);
    if (info.isDirectory()) {
      throw new UnreadableFileError("is a folder", "name the file in it");
    }
    if (!info.isFile()) {
      throw new UnreadableFileError("is a device or a pipe", "give the path of a plain file");
    }
    if (info.size > maxBytes) {
      throw new UnreadableFileError(`is larger than ${sizeText(maxBytes)}`, "give the path of the right file");
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof UnreadableFileError) {
      throw error;
    }
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
    throw known ?? new UnreadableFileError(`cannot be opened (${code || String(error)})`, "make it readable");
  }
}

function sizeText(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}
