import { statSync } from "node:fs";
import type { z } from "zod";
import { checkFile } from "./config-file";
import { messageOf } from "./errors";

/** Maximum delay until a change is noticed, in milliseconds. */
const STAT_INTERVAL = 1_000;

/** Configuration file reloaded on change: Kubernetes replaces files of a Secret in place. */
export class WatchedFile<T> {
  private current: T;
  private version: string;
  private checkedAt: number;

  /**
   * @param onReload called after each change; receives the problem if the new content is unusable,
   *   and the old content stays.
   * @throws ConfigError when the file is initially unusable.
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

/** Includes the inode, which changes when a file is replaced. */
function versionOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "missing" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
