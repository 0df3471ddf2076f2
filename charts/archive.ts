import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import type { ChartEntry } from "../catalog/charts";
import { type TarEntry, tarEntries } from "../downloads/tar";

/** More than any chart unpacks to: an archive of some KB can be made to fill all memory. */
const LARGEST_UNPACKED = 100 * 2 ** 20;

/** One leading "v" makes no difference between versions of charts. */
export function withoutV(version: string): string {
  return version.replace(/^v/, "");
}

/**
 * What keeps an archive from being the pinned chart; undefined when it is.
 *
 * @param archive content of the `.tgz`.
 */
export function chartProblem(
  archive: Buffer,
  { chart, version }: Pick<ChartEntry, "chart" | "version">,
): string | undefined {
  const found = chartIdentity(archive);
  if (found === undefined) {
    return "it is no archive of a chart";
  }
  return found.name === chart && withoutV(found.version) === withoutV(version)
    ? undefined
    : `it holds ${found.name} ${found.version}, not ${chart} ${version}`;
}

function chartIdentity(archive: Buffer): { readonly name: string; readonly version: string } | undefined {
  try {
    const file = chartFilesOf(archive).find(({ path }) => /^[^/]+\/Chart\.yaml$/.test(path));
    const { name, version } = parse(String(file?.content)) as { readonly name?: unknown; readonly version?: unknown };
    return typeof name === "string" && typeof version === "string" ? { name, version } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The files of a chart, by paths that begin with the chart's folder.
 *
 * @param archive content of the `.tgz`.
 * @throws Error where it is no archive, or unpacks to more than any chart.
 */
export function chartFilesOf(archive: Buffer): readonly TarEntry[] {
  return tarEntries(gunzipSync(archive, { maxOutputLength: LARGEST_UNPACKED }));
}
