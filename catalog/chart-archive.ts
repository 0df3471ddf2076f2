import table from "./charts.json";

/** Name of the file that holds a pinned chart by itself: `<catalogue name>-<version>.tgz`. */
export function chartArchive({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}-${version}.tgz`;
}

/**
 * Adds the digest's beginning: other bytes need another name.
 * @param sha256 hexadecimal
 */
export function placedArchive(chart: { readonly name: string; readonly version: string }, sha256: string): string {
  return chartArchive(chart).replace(/\.tgz$/, `-${sha256.slice(0, DIGITS)}.tgz`);
}

const DIGITS = 12;
const DIGEST = new RegExp(`-[0-9a-f]{${DIGITS}}(?=\\.tgz$)`);

/** By its `oci://` reference, its name in a repository, or its archive's path. */
export function chartNameOf(reference: string): string | undefined {
  const file = reference.slice(reference.lastIndexOf("/") + 1);
  const named = table.charts.find(
    ({ chart, repository }) => reference === (repository.startsWith("oci://") ? repository : chart),
  );
  const names = isChartPath(reference) ? [file, file.replace(DIGEST, "")] : [];
  return (named ?? table.charts.find((row) => names.includes(chartArchive(row))))?.name;
}

/** Whether a release takes its chart from the machine that deploys. */
export function isChartPath(reference: string): boolean {
  return /^\.{0,2}\//.test(reference);
}
