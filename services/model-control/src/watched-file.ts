import { statSync } from "node:fs";
import type { z } from "zod";
import { checkFile } from "./config-file";
import { messageOf } from "./errors";

/** How long a change of the file may go unnoticed, in milliseconds. */
const STAT_INTERVAL = 1_000;

/** What a file of the configuration says that may change at any time: Kubernetes replaces a Secret's files in place. */
export class WatchedFile<T> {
  private current: T;
  private version: string;
  private checkedAt: number;

  /**
   * @param onReload told after each change, with the problem where the new content cannot be used: the old one stays.
   * @throws ConfigError when the file cannot be used now.
   */
  constructor(
    private readonly path: string,
    private readonly schema: z.ZodType<T>,
    private readonly onReload: (problem?: string) => void,
    private readonly now: () => number = Date.now,
  ) {
    this.version = versionOf(path);
    this.checkedAt = now();
    this.current = checkFile(path, schema);
  }

  content(): T {
    const now = this.now();
    if (now - this.checkedAt >= STAT_INTERVAL) {
      this.checkedAt = now;
      this.reload();
    }
    return this.current;
  }

  private reload(): void {
    const version = versionOf(this.path);
    if (version === this.version) {
      return;
    }
    this.version = version;
    try {
      this.current = checkFile(this.path, this.schema);
      this.onReload();
    } catch (error) {
      this.onReload(messageOf(error));
    }
  }
}

/** Differs whenever the content may: a replaced file has another inode. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "missing" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
