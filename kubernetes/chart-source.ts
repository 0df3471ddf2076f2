export interface ChartSource {
  readonly name: string;
  /** In Argo CD's format: HTTPS index, or registry without `oci://`. Undefined if not set. */
  readonly repository: string | undefined;
}

/**
 * @param chart reference of the release: `oci://<registry>/<name>`, or a name in an index.
 * @param index URL of the index, for a name.
 */
export function chartSource(chart: string, index: unknown): ChartSource {
  const registry = /^oci:\/\/(.+)\/([^/]+)$/.exec(chart);
  return registry
    ? { name: registry[2] ?? chart, repository: registry[1] }
    : { name: chart, repository: typeof index === "string" ? index : undefined };
}
