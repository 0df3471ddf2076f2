/** Where a Helm release takes its chart from. */
export interface ChartSource {
  /** Name of the chart. */
  readonly name: string;
  /** As Argo CD wants it: an HTTPS index, or a registry without `oci://`. Undefined: the release names none. */
  readonly repository: string | undefined;
}

/**
 * @param chart reference of the release: `oci://<registry>/<name>`, or the name in an index.
 * @param index URL of the index, where the reference is a name.
 */
export function chartSource(chart: string, index: unknown): ChartSource {
  const registry = /^oci:\/\/(.+)\/([^/]+)$/.exec(chart);
  return registry
    ? { name: registry[2] ?? chart, repository: registry[1] }
    : { name: chart, repository: typeof index === "string" ? index : undefined };
}
