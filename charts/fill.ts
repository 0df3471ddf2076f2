import type { ChartEntry } from "../catalog/charts";
import type { ChartRepositories } from "./find";
import type { LockFile } from "./lock-file";
import { pinOf } from "./lock-file";
import { type ObtainedChart, obtainChart } from "./obtain";
import { type ChartProblem, ChartUnavailableError } from "./problem";
import type { ChartStore } from "./store";

export interface ChartSources {
  readonly lock: LockFile;
  readonly store: ChartStore;
  readonly repositories: ChartRepositories;
  /** Called after a download from the repository. */
  readonly onFetched?: (chart: ChartEntry) => void;
}

export interface FilledCharts {
  readonly obtained: ReadonlyMap<ChartEntry, ObtainedChart>;
  /** Reasons for missing charts. */
  readonly problems: ReadonlyMap<ChartEntry, ChartProblem>;
  /** Charts with new digests. */
  readonly added: readonly ChartEntry[];
}

/**
 * Charts from the cache or, in parallel, from their repositories. Adds new digests to the lock.
 *
 * @throws ChartsError for an unusable lock.
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
