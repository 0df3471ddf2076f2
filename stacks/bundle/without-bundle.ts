import type { ParsedEnvironmentFile } from "../config";

const CLUSTER = "inference-stacks:cluster";

/** The environment without its bundle: its downloads are what a bundle must hold. */
export function withoutBundle<F extends ParsedEnvironmentFile>(file: F): F {
  const written = file.config[CLUSTER];
  const cluster: unknown = written === undefined ? undefined : JSON.parse(written);
  const { k3s } = Object(cluster) as { readonly k3s?: Readonly<Record<string, unknown>> };
  if (k3s?.bundle === undefined) {
    return file;
  }
  const { bundle: _bundle, ...rest } = k3s;
  return { ...file, config: { ...file.config, [CLUSTER]: JSON.stringify({ ...Object(cluster), k3s: rest }) } };
}
