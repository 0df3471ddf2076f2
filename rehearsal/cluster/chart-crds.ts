import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parse } from "yaml";
import { describeObject, type KubernetesObject } from "../../kubernetes/object";
import { repositoryRoot } from "../../names/repository-root";
import { moduleFolder } from "../parts/find";
import { type ApiClient, ApiError } from "./api-client";
import { withoutDescriptions } from "./crd-descriptions";
import { waitFor } from "./wait";

/** Where custom resource definitions lie. */
export interface CrdSource {
  /** Go module. @default this repository: there is no such module */
  readonly module?: string;
  /** A file of it, or a folder with YAML files. */
  readonly path: string;
}

interface ChartCrds extends CrdSource {
  /** Group without whose kinds a cluster does not get the chart's definitions: few environments have them. @default every cluster does */
  readonly onlyWith?: string;
}

const ARGO_CD: CrdSource = { module: "github.com/argoproj/argo-cd/v3", path: "manifests/crds" };

/**
 * Where the definitions of each chart of ours, and of each add-on of a cloud, lie in its project's Go module. The modules' versions
 * are pinned in rehearsal/parts/modules and are the nearest to the charts' that the Go module index has.
 */
const CHART_CRDS: Readonly<Record<string, ChartCrds>> = {
  "argo-cd": { ...ARGO_CD, onlyWith: "argoproj.io" },
  "cert-manager": { module: "github.com/cert-manager/cert-manager", path: "deploy/crds" },
  "gateway-helm": { module: "github.com/envoyproxy/gateway", path: "charts/gateway-helm/charts/crds/crds" },
  "ai-gateway-crds-helm": {
    module: "github.com/envoyproxy/ai-gateway",
    path: "manifests/charts/ai-gateway-crds-helm/templates",
  },
  "prometheus-operator-crds": {
    module: "github.com/prometheus-operator/prometheus-operator",
    path: "example/prometheus-operator-crd",
  },
  "istio-base": { module: "istio.io/api", path: "kubernetes/customresourcedefinitions.gen.yaml" },
  lws: { module: "sigs.k8s.io/lws", path: "config/crd/bases" },
  NvidiaNetworkOperator: {
    module: "github.com/k8snetworkplumbingwg/sriov-network-operator",
    path: "config/crd/bases",
  },
  "nv-ipam": { path: "rehearsal/cluster/crds" },
  "karpenter-crd": { module: "github.com/aws/karpenter-provider-aws", path: "pkg/apis/crds" },
  keda: { module: "github.com/kedacore/keda/v2", path: "config/crd/bases" },
  "kuberay-operator": { module: "github.com/ray-project/kuberay/ray-operator", path: "config/crd/bases" },
};

/** Definitions of what only rendered YAML has: charts as Argo CD Applications, secrets as External Secrets' references. */
export const GITOPS_CRDS: readonly CrdSource[] = [
  ARGO_CD,
  { module: "github.com/external-secrets/external-secrets", path: "config/crds/bases" },
];

/** All sources of definitions that our objects need, applied or rendered. */
export function crdSources(): readonly CrdSource[] {
  return [...new Set([...Object.values(CHART_CRDS), ...GITOPS_CRDS])];
}

/**
 * Names of the charts and add-ons that bring custom resource definitions.
 *
 * @param kinds the ones that are wanted, as `<Kind>.<group>`. @default those that every cluster gets
 */
export function chartsWithCrds(kinds: ReadonlySet<string> = new Set()): string[] {
  const hasGroup = (group: string) => [...kinds].some((kind) => kind.endsWith(`.${group}`));
  return Object.entries(CHART_CRDS).flatMap(([chart, { onlyWith }]) =>
    onlyWith === undefined || hasGroup(onlyWith) ? [chart] : [],
  );
}

/** The Go modules whose files have the definitions of these charts. */
export function crdModules(charts: readonly string[]): string[] {
  return charts.flatMap((chart) => CHART_CRDS[chart]?.module ?? []);
}

/**
 * Installs the custom resource definitions that a chart brings, as `installCrds` does; none for a chart that is not
 * listed above.
 */
export async function installChartCrds(client: ApiClient, chart: string, kinds?: ReadonlySet<string>): Promise<void> {
  const source = CHART_CRDS[chart];
  if (source !== undefined) {
    await installCrds(client, source, kinds);
  }
}

/** The wanted definitions that a chart brings, as `crdDefinitions` has them; none for a chart that is not listed above. */
export async function chartDefinitions(chart: string, kinds: ReadonlySet<string>): Promise<readonly CrdDefinition[]> {
  const source = CHART_CRDS[chart];
  return source === undefined ? [] : crdDefinitions(source, kinds);
}

/**
 * Installs definitions, and waits until the API server serves them.
 *
 * @param kinds the ones that are wanted, as `<Kind>.<group>`: each costs the API server a good part of a second. @default
 * all that are there
 */
export async function installCrds(client: ApiClient, source: CrdSource, kinds?: ReadonlySet<string>): Promise<void> {
  const wanted = await crdDefinitions(source, kinds);
  await Promise.all(wanted.map((definition) => createDefinition(client, definition)));
  const groups = [...new Set(wanted.map(({ summary }) => summary.spec.group))];
  await Promise.all(groups.map((group) => waitUntilServed(client, group, wanted)));
}

/**
 * The wanted definitions of a source.
 *
 * @param kinds as for `installCrds`.
 */
export async function crdDefinitions(
  { module, path }: CrdSource,
  kinds?: ReadonlySet<string>,
): Promise<readonly CrdDefinition[]> {
  const folder = module === undefined ? repositoryRoot() : await moduleFolder(module);
  return yamlFiles(join(folder, path))
    .flatMap(definitions)
    .filter(({ summary: { spec } }) => kinds === undefined || kinds.has(`${spec.names.kind}.${spec.group}`));
}

interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: { readonly group: string; readonly names: { readonly kind: string } };
}

export interface CrdDefinition {
  /** Without its schemas. */
  readonly summary: CustomResourceDefinition;
  /** The whole definition, in YAML. */
  readonly text: string;
}

function yamlFiles(path: string): string[] {
  if (statSync(path).isFile()) {
    return [path];
  }
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml") && !file.endsWith("kustomization.yaml"))
    .map((file) => join(path, file));
}

/**
 * The definitions in a file. Schemas, which are nearly all of their megabytes, come last in what controller-gen writes
 * and are not parsed: the API server does that in a fraction of the time.
 */
function definitions(file: string): CrdDefinition[] {
  return readFileSync(file, "utf8")
    .split(/^---$/m)
    .filter((text) => /^kind: CustomResourceDefinition$/m.test(text))
    .map((text) => ({ text, summary: parse(text.replace(/^ {2}versions:$.*/ms, "")) as CustomResourceDefinition }));
}

/** Answers of an API server that has too much to do at once, as with megabytes of definitions beside other work. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 504]);

const CREATE_ATTEMPTS = 4;

/**
 * Creates a definition; one that is there already, or is after an attempt that was given up, is left as it is.
 *
 * @param pauseMs before the second attempt; it grows with each.
 */
export async function createDefinition(
  client: ApiClient,
  { text, summary }: CrdDefinition,
  pauseMs = 1000,
): Promise<void> {
  const path = `/apis/${summary.apiVersion}/customresourcedefinitions`;
  for (let attempt = 1; ; attempt += 1) {
    const { status, body } = await client.request("POST", path, withoutDescriptions(text), "application/yaml");
    if (status === 201 || status === 409) {
      return;
    }
    if (!BUSY.has(status) || attempt === CREATE_ATTEMPTS) {
      throw new ApiError(`create ${describeObject(summary)}`, status, body);
    }
    await setTimeout(pauseMs * attempt);
  }
}

/**
 * Waits until the kinds of a group are served. Asks for the kinds, not for their definitions: a large one takes the API
 * server longer to send than to serve; and once for all of them, for it is busy.
 */
async function waitUntilServed(client: ApiClient, group: string, wanted: readonly CrdDefinition[]): Promise<void> {
  const awaited = wanted.map(({ summary }) => summary.spec).filter((spec) => spec.group === group);
  await waitFor(`the kinds of ${group} to be served`, async () => {
    const served = await servedKinds(client, group);
    return awaited.every(({ names }) => served.has(names.kind)) ? true : undefined;
  });
}

async function servedKinds(client: ApiClient, group: string): Promise<ReadonlySet<string>> {
  const { body } = await client.request("GET", `/apis/${group}`);
  const { versions = [] } = body as { readonly versions?: readonly { readonly groupVersion: string }[] };
  const lists = await Promise.all(versions.map(({ groupVersion }) => client.request("GET", `/apis/${groupVersion}`)));
  const kinds = lists.flatMap(({ body: list }) => (list as { readonly resources?: readonly Kind[] }).resources ?? []);
  return new Set(kinds.map(({ kind }) => kind));
}

interface Kind {
  readonly kind: string;
}
