import * as pulumi from "@pulumi/pulumi";
import { installedCharts } from "../catalog/chart-images";
import { chart } from "../catalog/charts";
import { ChartRepositories } from "../charts/find";
import { HttpRegistry } from "../charts/http-registry";
import { type ChartLock, LOCK_FILE } from "../charts/lock";
import { ChartsError, LockFile, pinOf } from "../charts/lock-file";
import type { ChartPins } from "../charts/obtain";
import { type PlacedCharts, placeCharts } from "../charts/place";
import { problemLines } from "../charts/problem";
import { ChartStore } from "../charts/store";
import { counted } from "../names/counted";
import { userCache } from "../names/user-cache";
import type { EnvironmentConfig } from "./config";

/** Undefined for charts from repositories or a bundle, or without charts. */
export async function chartFiles(
  environment: Pick<EnvironmentConfig, "charts" | "scope" | "cluster">,
  project: string,
): Promise<PlacedCharts | undefined> {
  const { charts, scope, cluster } = environment;
  const hasBundle = cluster.kind === "edge" && cluster.k3s?.bundle !== undefined;
  if (charts === "repository" || scope === "cluster" || hasBundle) {
    return undefined;
  }
  const placed = await placeCharts(installedCharts.map(chart), process.cwd(), {
    lock: new LockFile(project),
    store: new ChartStore(userCache("charts")),
    repositories: new ChartRepositories(new HttpRegistry()),
    onFetched: ({ name, version }) =>
      void pulumi.log.info(`fetched chart ${name} ${version}`, undefined, undefined, true),
  });
  const notes = [
    ...(placed.fetched.length > 0
      ? [`fetched ${counted(placed.fetched.length, "chart")}; from now on their repositories are not asked`]
      : []),
    ...(placed.added.length > 0
      ? [`${LOCK_FILE} has the digests of ${counted(placed.added.length, "more chart")}: commit it`]
      : []),
  ];
  for (const note of notes) {
    await pulumi.log.info(note);
  }
  return placed;
}

/** Expected charts by the project's lock, read on demand, and the catalogue. */
export function chartPins(project: string): ChartPins {
  let lock: ChartLock | undefined;
  return (entry) => {
    lock ??= new LockFile(project).read();
    return pinOf(entry, lock);
  };
}

const NO_ROW = "add it to catalog/charts.json";

/**
 * Fails in the preview, before anything is created.
 *
 * @param missing what `ChartFiles` found, by catalogue name.
 * @throws ChartsError with the reason of each.
 */
export function assertCharts({ problems }: Pick<PlacedCharts, "problems">, missing: readonly string[]): void {
  if (missing.length > 0) {
    const known = missing.map((name) => problems.get(name) ?? { message: `chart ${name}: no such chart`, fix: NO_ROW });
    throw new ChartsError(problemLines(known).join("\n"));
  }
}
