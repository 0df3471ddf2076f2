import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "./whole-file";

/** Files named by the SHA-256 of their content, verified when read. */
export class ChartStore {
  constructor(readonly folder: string) {}

  /** Undefined if missing or damaged. */
  get(sha256: string): Buffer | undefined {
    return contentOf(this.path(sha256), sha256);
  }

  /** Ignores an unwritable folder: charts are then downloaded in every run. */
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

/** File content if it has the digest; otherwise undefined. */
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
