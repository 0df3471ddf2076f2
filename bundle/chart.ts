import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chartArchive } from "../catalog/chart-archive";
import { type ChartEntry, chart } from "../catalog/charts";
import { chartProblem } from "../charts/archive";
import type { ChartRepositories } from "../charts/find";
import { assertPinned, type ChartPins, type Pin } from "../charts/obtain";
import { ChartUnavailableError, problemLines } from "../charts/problem";
import { measure, save } from "../downloads/save";
import type { BundledFile } from "../stacks/bundle/bundle-file";
import type { NeededChart } from "./needs";

export function chartFile(chart: Pick<ChartEntry, "name" | "version">): string {
  return `charts/${chartArchive(chart)}`;
}

/**
 * Archive of a pinned chart in a folder, downloaded if absent. Verified against its pin and the
 * repository's digest.
 *
 * @throws Error with the chart and the repository's alternatives.
 */
export async function chartInFolder(
  repositories: ChartRepositories,
  { name, version, repository }: NeededChart,
  root: string,
  pins: ChartPins,
  onBytes: (bytes: number) => void,
): Promise<BundledFile> {
  const entry = chart(name);
  const pin = pins(entry);
  const path = chartFile({ name, version });
  const file = join(root, path);
  if (existsSync(file) && chartProblem(readFileSync(file), entry) === undefined) {
    const measured = await measure(file);
    if (pin === undefined || measured.sha256 === pin.sha256) {
      return { path, ...measured };
    }
  }
  const what = `chart ${name} ${version}`;
  const { source, expected } = await repositories.find(entry);
  requirePinned(entry, pin, expected.sha256);
  const saved = await save(
    what,
    file,
    source,
    { ...expected, ...(pin && { sha256: pin.sha256 }) },
    { resumes: false, onBytes },
  );
  const problem = chartProblem(readFileSync(file), entry);
  if (problem !== undefined) {
    rmSync(file);
    throw new Error(`${what}: what ${repository} answers is not it: ${problem}`);
  }
  return { path, ...saved };
}

/** @throws Error with the fix, as one text for a list of problems. */
function requirePinned(entry: ChartEntry, pin: Pin | undefined, sha256: string | undefined): void {
  try {
    assertPinned(entry, pin, sha256);
  } catch (error) {
    throw error instanceof ChartUnavailableError ? new Error(problemLines([error]).join(". ")) : error;
  }
}
