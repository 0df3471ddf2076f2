import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import type { ChartEntry } from "../catalog/charts";
import { type TarEntry, tarEntries } from "../downloads/tar";

/** Above any chart's unpacked size: a small archive could fill memory. */
const LARGEST_UNPACKED = 100 * 2 ** 20;

/** Helm ignores a leading "v" in chart versions. */
export function withoutV(version: string): string {
  return version.replace(/^v/, "");
}

/**
 * Mismatch with the pinned chart; undefined if none.
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
 * Files of a chart, with paths that start with its folder.
 *
 * @param archive content of the `.tgz`.
 * @throws Error for an invalid or too large archive.
 */
export function chartFilesOf(archive: Buffer): readonly TarEntry[] {
  return tarEntries(gunzipSync(archive, { maxOutputLength: LARGEST_UNPACKED }));
}
