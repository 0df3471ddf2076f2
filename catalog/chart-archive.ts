import table from "./charts.json";

/** Name of the file that holds a pinned chart by itself: `<catalogue name>-<version>.tgz`. */
export function chartArchive({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}-${version}.tgz`;
}

/**
 * Catalogue name of a chart as a release names it: by its `oci://` reference, by its name inside a repository, or by the
 * path of its archive.
 */
export function chartNameOf(reference: string): string | undefined {
  const file = reference.slice(reference.lastIndexOf("/") + 1);
  const named = table.charts.find(
    ({ chart, repository }) => reference === (repository.startsWith("oci://") ? repository : chart),
  );
  return (named ?? (isChartPath(reference) ? table.charts.find((row) => chartArchive(row) === file) : undefined))?.name;
}

/** Whether a release takes its chart from the machine that deploys. */
export function isChartPath(reference: string): boolean {
  return /^\.{0,2}\//.test(reference);
}
