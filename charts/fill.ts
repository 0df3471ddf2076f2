import type { ChartEntry } from "../catalog/charts";
import type { ChartRepositories } from "./find";
import type { LockFile } from "./lock-file";
import { pinOf } from "./lock-file";
import { type ObtainedChart, obtainChart } from "./obtain";
import { type ChartProblem, ChartUnavailableError } from "./problem";
import type { ChartStore } from "./store";

/** Where charts come from, and where their digests are kept. */
export interface ChartSources {
  readonly lock: LockFile;
  readonly store: ChartStore;
  readonly repositories: ChartRepositories;
  /** A chart came from its repository. */
  readonly onFetched?: (chart: ChartEntry) => void;
}

export interface FilledCharts {
  readonly obtained: ReadonlyMap<ChartEntry, ObtainedChart>;
  /** Why others could not be had. */
  readonly problems: ReadonlyMap<ChartEntry, ChartProblem>;
  /** Charts whose digest the lock did not have. */
  readonly added: readonly ChartEntry[];
}

/**
 * Charts as files: from the cache, and those that are not there from their repositories, all at once. Digests that nobody knew go into the
 * lock.
 *
 * @throws ChartsError where the lock cannot be used.
 */
export async function fillCharts(
  charts: readonly ChartEntry[],
  { lock: file, store, repositories, onFetched }: ChartSources,
): Promise<FilledCharts> {
  const lock = file.read();
  const obtained = new Map<ChartEntry, ObtainedChart>();
  const problems = new Map<ChartEntry, ChartProblem>();
  await Promise.all(
    charts.map(async (chart) => {
      try {
        const got = await obtainChart(chart, pinOf(chart, lock), store, repositories);
        obtained.set(chart, got);
        if (got.from === "repository") {
          onFetched?.(chart);
        }
      } catch (error) {
        if (!(error instanceof ChartUnavailableError)) {
          throw error;
        }
        problems.set(chart, error);
      }
    }),
  );
  const unknown = [...obtained].filter(([chart]) => pinOf(chart, lock) === undefined);
  if (unknown.length > 0) {
    file.add(new Map(unknown.map(([chart, { sha256 }]) => [chart, sha256])));
  }
  return { obtained, problems, added: unknown.map(([chart]) => chart) };
}
