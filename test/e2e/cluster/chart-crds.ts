import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { moduleFolder } from "../setup/find";
import type { ApiClient } from "./api-client";
import type { KubernetesObject } from "./kubernetes-object";
import { waitFor } from "./wait";

/**
 * Where the custom resource definitions of each chart of ours lie in its project's Go module: a file, or a folder with
 * YAML files. The modules' versions are pinned in test/e2e/modules and are the nearest to the charts' that the Go
 * module index has.
 */
const CHART_CRDS: Readonly<Record<string, { readonly module: string; readonly path: string }>> = {
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
  lws: { module: "sigs.k8s.io/lws", path: "config/crd/bases" },
};

/** Names of the charts that bring custom resource definitions. */
export function chartsWithCrds(): string[] {
  return Object.keys(CHART_CRDS);
}

/**
 * Installs the custom resource definitions that a chart brings, and waits until the API server serves them; none for a
 * chart that is not listed above.
 *
 * @param kinds the ones that are wanted, as `<Kind>.<group>`: each costs the API server a good part of a second.
 */
export async function installChartCrds(client: ApiClient, chart: string, kinds: ReadonlySet<string>): Promise<void> {
  const source = CHART_CRDS[chart];
  if (source === undefined) return;
  const files = yamlFiles(join(await moduleFolder(source.module), source.path));
  const crds = files.flatMap(definitions).filter(({ spec }) => kinds.has(`${spec.names.kind}.${spec.group}`));
  await Promise.all(crds.map((crd) => client.create(crd)));
  await Promise.all(crds.map((crd) => established(client, crd)));
}

interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: { readonly group: string; readonly names: { readonly kind: string } };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function yamlFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml") && !file.endsWith("kustomization.yaml"))
    .map((file) => join(path, file));
}

function definitions(file: string): CustomResourceDefinition[] {
  return parseAllDocuments(readFileSync(file, "utf8"))
    .map((document) => document.toJS() as CustomResourceDefinition | null)
    .filter((object) => object !== null)
    .filter(({ kind }) => kind === "CustomResourceDefinition");
}

async function established(client: ApiClient, crd: CustomResourceDefinition): Promise<void> {
  await waitFor(`the API server to serve ${crd.metadata.name}`, async () => {
    const found = (await client.get(crd)) as CustomResourceDefinition | undefined;
    return found?.status?.conditions?.find(({ type, status }) => type === "Established" && status === "True");
  });
}
