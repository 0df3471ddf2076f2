import { ARGO_API, argoName, argoNames, IN_CLUSTER } from "../components/argo-cd/names";
import { chartProject } from "../components/argo-cd/projects";
import { CASCADE, COMPARED_BY_SERVER, RETRY } from "../components/argo-cd/root-application";
import { chartSource } from "../kubernetes/chart-source";
import type { KubernetesObject } from "../kubernetes/object";
import type { Labels } from "../names/labels";
import { ARGO_CD_NAMESPACE } from "../names/namespaces";
import { isRecord, renderedLabels } from "./kubernetes-object";

/** A chart at a version, to be installed under a name into a namespace. */
export interface Chart {
  /** Name of the chart. */
  readonly name: string;
  /** As Argo CD wants it: an HTTPS index, or a registry without `oci://`. */
  readonly repository: string;
  readonly version: string;
  readonly release: string;
  readonly namespace: string;
  readonly skipCrds: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The chart that a Helm release installs.
 *
 * @param inputs inputs of `kubernetes:helm.sh/v3:Release`, with the values as they may be rendered.
 * @throws Error when a field is missing that a chart of the catalogue always has.
 */
export function chartOf(urn: string, inputs: Readonly<Record<string, unknown>>): Chart {
  const text = (field: string, value: unknown = inputs[field]): string => {
    if (typeof value !== "string" || value === "") {
      throw new Error(`${urn} has no ${field}`);
    }
    return value;
  };
  const { repositoryOpts, values } = inputs;
  const source = chartSource(text("chart"), isRecord(repositoryOpts) ? repositoryOpts.repo : undefined);
  return {
    name: source.name,
    repository: text("repositoryOpts.repo", source.repository),
    version: text("version"),
    release: text("name"),
    namespace: text("namespace"),
    skipCrds: inputs.skipCrds === true,
    values: isRecord(values) ? values : {},
  };
}

/**
 * Argo CD's Application that keeps a chart installed. Removing it uninstalls the chart, as Pulumi would.
 *
 * @param namespace where Argo CD looks for it.
 */
export function application(
  platform: string,
  chart: Chart,
  labels: Labels,
  namespace: string = ARGO_CD_NAMESPACE,
): KubernetesObject {
  return {
    apiVersion: ARGO_API,
    kind: "Application",
    metadata: {
      name: argoName(platform, chart.release),
      namespace,
      labels: { ...labels, ...renderedLabels("chart", chart.release) },
      // Charts hold custom resources whose CRDs fill in defaults: only the API server knows what is a difference.
      annotations: { ...COMPARED_BY_SERVER },
      finalizers: [CASCADE],
    },
    spec: {
      project: argoNames(platform).charts,
      source: {
        repoURL: chart.repository,
        chart: chart.name,
        targetRevision: chart.version,
        helm: {
          releaseName: chart.release,
          ...(chart.skipCrds && { skipCrds: true }),
          ...(Object.keys(chart.values).length > 0 && { valuesObject: chart.values }),
        },
      },
      destination: { server: IN_CLUSTER, namespace: chart.namespace },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        // The namespace is an object of ours, with its policies; CRDs are too large for client-side apply.
        syncOptions: ["CreateNamespace=false", "ServerSideApply=true"],
        retry: RETRY,
      },
    },
  };
}

/**
 * The project of an environment's charts: these repositories, the namespaces that they or their values name, and few
 * kinds beyond them.
 *
 * @param namespaces all namespaces of the environment.
 */
export function project(
  platform: string,
  charts: readonly Chart[],
  namespaces: readonly string[],
  labels: Labels,
): KubernetesObject {
  const named = new Set(charts.flatMap(({ namespace, values }) => [namespace, ...textsIn(values)]));
  const allowed = namespaces.filter((namespace) => named.has(namespace));
  return {
    apiVersion: ARGO_API,
    kind: "AppProject",
    metadata: {
      name: argoNames(platform).charts,
      namespace: ARGO_CD_NAMESPACE,
      labels: { ...labels, ...renderedLabels("charts", platform) },
    },
    spec: chartProject(
      platform,
      charts.map(({ repository }) => repository),
      allowed,
    ),
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
