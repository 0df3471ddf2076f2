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

export interface CrdSource {
  /** Go module. @default this repository */
  readonly module?: string;
  /** YAML file or folder. */
  readonly path: string;
}

interface ChartCrds extends CrdSource {
  /**
   * Installs the chart's definitions only with kinds of this group, which few environments use.
   * @default always installed
   */
  readonly onlyWith?: string;
}

const ARGO_CD: CrdSource = { module: "github.com/argoproj/argo-cd/v3", path: "manifests/crds" };

/**
 * Definitions of each chart and cloud add-on in its project's Go module. The versions in
 * rehearsal/parts/modules are the closest to the charts' in the Go module index.
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

/** Definitions used only by rendered YAML: Argo CD Applications, External Secrets. */
export const GITOPS_CRDS: readonly CrdSource[] = [
  ARGO_CD,
  { module: "github.com/external-secrets/external-secrets", path: "config/crds/bases" },
];

/** All definition sources for our objects, applied or rendered. */
export function crdSources(): readonly CrdSource[] {
  return [...new Set([...Object.values(CHART_CRDS), ...GITOPS_CRDS])];
}

/**
 * Charts and add-ons with custom resource definitions.
 *
 * @param kinds wanted, as `<Kind>.<group>`.
 * @default those of every cluster
 */
export function chartsWithCrds(kinds: ReadonlySet<string> = new Set()): string[] {
  const hasGroup = (group: string) => [...kinds].some((kind) => kind.endsWith(`.${group}`));
  return Object.entries(CHART_CRDS).flatMap(([chart, { onlyWith }]) =>
    onlyWith === undefined || hasGroup(onlyWith) ? [chart] : [],
  );
}

export function crdModules(charts: readonly string[]): string[] {
  return charts.flatMap((chart) => CHART_CRDS[chart]?.module ?? []);
}

/** Installs a chart's definitions with `installCrds`; no-op for an unlisted chart. */
export async function installChartCrds(client: ApiClient, chart: string, kinds?: ReadonlySet<string>): Promise<void> {
  const source = CHART_CRDS[chart];
  if (source !== undefined) {
    await installCrds(client, source, kinds);
  }
}

/** Wanted definitions of a chart, as from `crdDefinitions`; none for an unlisted chart. */
export async function chartDefinitions(chart: string, kinds: ReadonlySet<string>): Promise<readonly CrdDefinition[]> {
  const source = CHART_CRDS[chart];
  return source === undefined ? [] : crdDefinitions(source, kinds);
}

/**
 * Installs definitions and waits until they are served.
 *
 * @param kinds wanted, as `<Kind>.<group>`: each costs the API server up to a second.
 * @default all
 */
export async function installCrds(client: ApiClient, source: CrdSource, kinds?: ReadonlySet<string>): Promise<void> {
  const wanted = await crdDefinitions(source, kinds);
  await Promise.all(wanted.map((definition) => createDefinition(client, definition)));
  const groups = [...new Set(wanted.map(({ summary }) => summary.spec.group))];
  await Promise.all(groups.map((group) => waitUntilServed(client, group, wanted)));
}

/**
 * Wanted definitions of a source.
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
  /** Definition in YAML. */
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
 * Definitions in a file. Leaves schemas, which are most of the text and last in controller-gen's
 * output, unparsed: the API server parses them much faster.
 */
function definitions(file: string): CrdDefinition[] {
  return readFileSync(file, "utf8")
    .split(/^---$/m)
    .filter((text) => /^kind: CustomResourceDefinition$/m.test(text))
    .map((text) => ({ text, summary: parse(text.replace(/^ {2}versions:$.*/ms, "")) as CustomResourceDefinition }));
}

/** Statuses of an overloaded API server. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 504]);

const CREATE_ATTEMPTS = 4;

/**
 * Creates a definition; leaves an existing one, perhaps from a timed-out attempt, unchanged.
 *
 * @param pauseMs before the second attempt; grows with each.
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
 * Waits until a group's kinds are served. One discovery query for all: large definitions are slow
 * to send.
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
