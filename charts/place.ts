import { join } from "node:path";
import { placedArchive } from "../catalog/chart-archive";
import type { ChartEntry } from "../catalog/charts";
import { type ChartSources, fillCharts } from "./fill";
import { ChartsError, pinOf } from "./lock-file";
import type { ChartProblem } from "./problem";
import { contentOf } from "./store";
import { writeWhole } from "./whole-file";

/** Git-ignored folder in the working directory of program and providers. */
const FOLDER = ".charts";

/** Charts as releases reference them. */
export interface PlacedCharts {
  /**
   * Path by catalogue name. Relative, so equal in every state; changes with the content, which
   * updates releases.
   */
  readonly paths: ReadonlyMap<string, string>;
  /** Reasons for missing charts, by catalogue name. */
  readonly problems: ReadonlyMap<string, ChartProblem>;
  readonly fetched: readonly ChartEntry[];
  readonly added: readonly ChartEntry[];
}

/**
 * Puts charts where Pulumi's provider loads them by path, without a repository. Paths are relative
 * to the program's working directory (pulumi/pulumi 1b59498, pkg/engine/project.go `getPwdMain` and
 * sdk/go/common/resource/plugin/plugin.go `ExecPlugin`; pulumi-kubernetes 9497796,
 * provider/pkg/provider/helm_release.go `localChart`).
 *
 * Files with matching digests need no cache or network.
 *
 * @param directory the program's working directory.
 * @throws ChartsError for an unusable lock or folder; failed downloads are in `problems`, as
 *   platforms need different charts.
 */
export async function placeCharts(
  charts: readonly ChartEntry[],
  directory: string,
  sources: ChartSources,
): Promise<PlacedCharts> {
  const lock = sources.lock.read();
  const there = new Map<ChartEntry, string>();
  for (const chart of charts) {
    const pin = pinOf(chart, lock);
    const name = pin && placedArchive(chart, pin.sha256);
    if (pin && name && contentOf(join(directory, FOLDER, name), pin.sha256) !== undefined) {
      there.set(chart, name);
    }
  }
  const lacking = charts.filter((chart) => !there.has(chart));
  const { obtained, problems, added } =
    lacking.length > 0 ? await fillCharts(lacking, sources) : { obtained: new Map(), problems: new Map(), added: [] };
  for (const [chart, { content, sha256 }] of obtained) {
    const name = placedArchive(chart, sha256);
    place(join(directory, FOLDER, name), content);
    there.set(chart, name);
  }
  return {
    paths: new Map([...there].map(([chart, file]) => [chart.name, `./${FOLDER}/${file}`])),
    problems: new Map([...problems].map(([{ name }, problem]) => [name, problem])),
    fetched: [...obtained].filter(([, { from }]) => from === "repository").map(([chart]) => chart),
    added,
  };
}

/** @throws ChartsError */
function place(path: string, content: Buffer): void {
  try {
    writeWhole(path, content);
  } catch (error) {
    throw new ChartsError(
      `${path} cannot be written: ${(error as Error).message}. Fix: run where the program's folder can be written, or set "charts: repository" in the environment`,
    );
  }
}
