import { compareVersions } from "../../names/versions";
import { BUNDLE_VERSION, type Definition } from "./definition";
import { type KubectlAccess, kubectl } from "./kubectl";

/** Server-side apply's field manager. */
const FIELD_MANAGER = "inference-stacks";
const SERVED_WITHIN = "60s";

/** Gateway API definitions kept, because the cluster has a newer release. */
export interface Applied {
  readonly applied: readonly Definition[];
  readonly newer: readonly Definition[];
}

/**
 * Updates the cluster's definitions to a chart's by server-side apply, taking over existing ones
 * from any owner (Helm owns what it installed from `crds/`). Custom objects stay. Returns once all
 * are served.
 *
 * Gateway API is shared with other gateways: newer definitions than the chart's stay.
 *
 * @throws KubectlError with the API server's message, as for objects stored in a removed version.
 */
export async function applyDefinitions(
  definitions: readonly Definition[],
  access: KubectlAccess,
  run: typeof kubectl = kubectl,
): Promise<Applied> {
  const present = await bundleVersions(definitions, access, run);
  const isNewer = ({ name, bundleVersion }: Definition) => {
    const there = present.get(name);
    return there !== undefined && bundleVersion !== undefined && compareVersions(there, bundleVersion) > 0;
  };
  const applied = definitions.filter((definition) => !isNewer(definition));
  if (applied.length > 0) {
    const documents = applied.map(({ text }) => text).join("\n---\n");
    const owner = `--field-manager=${FIELD_MANAGER}`;
    await run(access, ["apply", "--server-side", "--force-conflicts", owner, "-f", "-"], documents);
    const names = applied.map(({ name }) => `crd/${name}`);
    await run(access, ["wait", "--for=condition=Established", `--timeout=${SERVED_WITHIN}`, ...names]);
  }
  return { applied, newer: definitions.filter(isNewer) };
}

/** Installed Gateway API releases, by definition. */
async function bundleVersions(
  definitions: readonly Definition[],
  access: KubectlAccess,
  run: typeof kubectl,
): Promise<ReadonlyMap<string, string>> {
  const names = definitions.flatMap(({ name, bundleVersion }) => (bundleVersion === undefined ? [] : [name]));
  if (names.length === 0) {
    return new Map();
  }
  const annotation = BUNDLE_VERSION.replaceAll(".", "\\.");
  const columns = `custom-columns=NAME:.metadata.name,BUNDLE:.metadata.annotations.${annotation}`;
  const table = await run(access, ["get", "crd", ...names, "--ignore-not-found", "--no-headers", "-o", columns]);
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  return new Map(rows.flatMap(([name = "", version = ""]) => (version.startsWith("v") ? [[name, version]] : [])));
}
