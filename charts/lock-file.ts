import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChartEntry } from "../catalog/charts";
import { type ChartLock, EMPTY_LOCK, LOCK_FILE, lockedDigest, lockText, parseLock, withDigest } from "./lock";
import type { Pin } from "./obtain";
import { writeWhole } from "./whole-file";

/** Unavailable charts. The message has every reason and fix. */
export class ChartsError extends Error {}

/** Lock file next to Pulumi.yaml. */
export class LockFile {
  private readonly path: string;

  constructor(project: string) {
    this.path = join(project, LOCK_FILE);
  }

  /** @throws ChartsError for an invalid file. */
  read(): ChartLock {
    const text = textIfThere(this.path);
    const lock = text === undefined ? EMPTY_LOCK : parseLock(text);
    if ("problem" in lock) {
      throw new ChartsError(
        `${this.path} is no list of charts' digests: ${lock.problem}. Fix: take it back from version control (git checkout ${LOCK_FILE})`,
      );
    }
    return lock;
  }

  /**
   * Adds digests to the current file, which another run may have changed.
   *
   * @throws ChartsError for conflicting digests or a failed write.
   */
  add(found: ReadonlyMap<ChartEntry, string>): void {
    let lock = this.read();
    for (const [chart, sha256] of found) {
      const other = lockedDigest(lock, chart);
      if (other !== undefined && other !== sha256) {
        throw new ChartsError(
          `chart ${chart.name} ${chart.version}: ${chart.repository} gave it with the SHA-256 ${sha256}, and to another run, a moment ago, with ${other}. Fix: find out which is right before anything is installed`,
        );
      }
      lock = withDigest(lock, chart, sha256);
    }
    try {
      writeWhole(this.path, lockText(lock));
    } catch (error) {
      throw new ChartsError(
        `${this.path} cannot be written: ${(error as Error).message}. Fix: run npm run charts where it can, and commit the file`,
      );
    }
  }
}

/** Published digest of a chart, or the one recorded at its first download. */
export function pinOf(chart: ChartEntry, lock: ChartLock): Pin | undefined {
  if (chart.archive?.version === chart.version) {
    return { sha256: chart.archive.sha256, file: "catalog/charts.json" };
  }
  const sha256 = lockedDigest(lock, chart);
  return sha256 === undefined ? undefined : { sha256, file: LOCK_FILE };
}

function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw new ChartsError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
