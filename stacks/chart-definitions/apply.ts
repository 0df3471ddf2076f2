import { compareVersions } from "../../names/versions";
import { BUNDLE_VERSION, type Definition } from "./definition";
import { type KubectlAccess, kubectl } from "./kubectl";

/** Owner of the definitions' fields in the cluster. */
const FIELD_MANAGER = "inference-stacks";
const SERVED_WITHIN = "60s";

/** Definitions of Gateway API that stay, because the cluster's are of a newer release. */
export interface Applied {
  readonly applied: readonly Definition[];
  readonly newer: readonly Definition[];
}

/**
 * Brings the cluster's definitions to those of a chart, by server-side apply: ones that exist are taken over, whoever made them
 * (Helm owns what it installed from `crds/`). Objects of their kinds stay. It returns once all are served.
 *
 * Gateway API serves other gateways too: definitions of a newer release than the chart's stay.
 *
 * @throws KubectlError with the API server's words, as where objects are stored in a version that is left out.
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

/** Releases of Gateway API that the cluster's definitions are of, by name. */
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
