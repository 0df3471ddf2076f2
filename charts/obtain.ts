import type { ChartEntry } from "../catalog/charts";
import { contentOf as contentOfSource } from "../downloads/bounded";
import { messageOf } from "../names/message-of";
import { visible } from "../names/visible";
import { chartProblem } from "./archive";
import type { ChartRepositories } from "./find";
import { LOCK_FILE } from "./lock";
import { ChartUnavailableError } from "./problem";
import { type ChartStore, sha256Of } from "./store";

export interface ObtainedChart {
  readonly content: Buffer;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly from: "cache" | "repository";
}

/** Required digest of a chart and its origin. */
export interface Pin {
  readonly sha256: string;
  /** `catalog/charts.json`, or the lock. */
  readonly file: string;
}

/** Required digest; undefined before the first download. */
export type ChartPins = (chart: ChartEntry) => Pin | undefined;

/**
 * Pinned chart from the cache or its repository.
 *
 * @param pin required digest.
 * @default any, for the caller to record
 * @throws ChartUnavailableError with chart and repository.
 */
export async function obtainChart(
  chart: ChartEntry,
  pin: Pin | undefined,
  store: ChartStore,
  repositories: ChartRepositories,
): Promise<ObtainedChart> {
  const kept = pin && store.get(pin.sha256);
  if (pin && kept) {
    return { content: kept, sha256: pin.sha256, from: "cache" };
  }
  const content = await fetched(chart, pin, store, repositories);
  store.put(content);
  return { content, sha256: sha256Of(content), from: "repository" };
}

async function fetched(
  chart: ChartEntry,
  pin: Pin | undefined,
  store: ChartStore,
  repositories: ChartRepositories,
): Promise<Buffer> {
  const { repository } = chart;
  const what = `chart ${chart.name} ${chart.version}`;
  const { source, expected } = await reached(chart, store, () => repositories.find(chart));
  // Checks the stated digest before the download.
  assertPinned(chart, pin, expected.sha256);
  const content = await reached(chart, store, () => contentOfSource(source));
  const sha256 = sha256Of(content);
  if (expected.sha256 !== undefined && expected.sha256 !== sha256) {
    throw new ChartUnavailableError(
      `${what} of ${repository}: what came has the SHA-256 ${sha256}, and its repository states ${expected.sha256}`,
      "something on the way changes or cuts it: try again, or look at the proxy",
    );
  }
  assertPinned(chart, pin, sha256);
  const problem = chartProblem(content, chart);
  if (problem !== undefined) {
    throw new ChartUnavailableError(
      `${what}: what ${repository} answers is not it: ${problem}`,
      "find out what answers there: the repository, or a proxy in between",
    );
  }
  return content;
}

/**
 * @param sha256 from the repository.
 * @default unknown
 * @throws ChartUnavailableError for a mismatch.
 */
export function assertPinned(
  { name, version, repository }: Pick<ChartEntry, "name" | "version" | "repository">,
  pin: Pin | undefined,
  sha256: string | undefined,
): void {
  if (pin === undefined || sha256 === undefined || sha256 === pin.sha256) {
    return;
  }
  const fix =
    pin.file === LOCK_FILE
      ? `find out why it changed; if the new one is right, delete "${name}" from ${LOCK_FILE} and run npm run charts`
      : "find out why it changed; a new digest comes with a new version of this program";
  throw new ChartUnavailableError(
    `chart ${name} ${version}: ${repository} has it with the SHA-256 ${sha256}, allowed: ${pin.sha256}, which ${pin.file} says. A published version does not change`,
    fix,
  );
}

async function reached<T>(
  { name, version, repository }: ChartEntry,
  store: ChartStore,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const reason = visible(messageOf(error));
    throw new ChartUnavailableError(
      `chart ${name} ${version} is not in ${store.folder}, and ${repository} does not give it: ${reason}`,
      `run npm run charts where the repository answers, and bring that folder and ${LOCK_FILE} here; ` +
        'or set "charts: repository" in the environment, and Pulumi\'s provider asks it every time',
    );
  }
}
