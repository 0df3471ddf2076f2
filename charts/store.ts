import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "./whole-file";

/** Content by its SHA-256, each in a file of that name: what is read from it is what was put in, or nothing. */
export class ChartStore {
  constructor(readonly folder: string) {}

  /** Undefined where there is none of that digest, or where the file's bytes are not those any more. */
  get(sha256: string): Buffer | undefined {
    return contentOf(this.path(sha256), sha256);
  }

  /** Where the folder cannot be written, nothing is kept: what came is used all the same, and comes again the next time. */
  put(content: Buffer): void {
    try {
      writeWhole(this.path(sha256Of(content)), content);
    } catch {
      // Homes of CI runners may be read-only.
    }
  }

  private path(sha256: string): string {
    return join(this.folder, `${sha256}.tgz`);
  }
}

/** A file's content where it has that digest; undefined where it has another, or cannot be read. */
export function contentOf(path: string, sha256: string): Buffer | undefined {
  try {
    const content = readFileSync(path);
    return sha256Of(content) === sha256 ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Hexadecimal. */
export function sha256Of(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
