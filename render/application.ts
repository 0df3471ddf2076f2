import type { KubernetesObject } from "../kubernetes/object";
import type { Labels } from "../names/labels";
import { isRecord, renderedLabels } from "./kubernetes-object";

/** Where Argo CD runs and looks for its Applications: the namespace of its own installation guide. */
export const ARGO_NAMESPACE = "argocd";
const API = "argoproj.io/v1alpha1";
/** The cluster that Argo CD runs in. */
const CLUSTER = "https://kubernetes.default.svc";

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
  const reference = text("chart");
  const registry = /^oci:\/\/(.+)\/([^/]+)$/.exec(reference);
  const { repositoryOpts, values } = inputs;
  return {
    name: registry?.[2] ?? reference,
    repository:
      registry?.[1] ?? text("repositoryOpts.repo", isRecord(repositoryOpts) ? repositoryOpts.repo : undefined),
    version: text("version"),
    release: text("name"),
    namespace: text("namespace"),
    skipCrds: inputs.skipCrds === true,
    values: isRecord(values) ? values : {},
  };
}

/** Name that Kubernetes accepts, made from names that may hold more. */
function objectName(...parts: readonly string[]): string {
  return parts
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** Argo CD's Application that keeps a chart installed. Removing it uninstalls the chart, as Pulumi would. */
export function application(environment: string, chart: Chart, labels: Labels): KubernetesObject {
  return {
    apiVersion: API,
    kind: "Application",
    metadata: {
      name: objectName(environment, chart.release),
      namespace: ARGO_NAMESPACE,
      labels: { ...labels, ...renderedLabels("chart", chart.release) },
      // Charts hold custom resources whose CRDs fill in defaults: only the API server knows what is a difference.
      annotations: { "argocd.argoproj.io/compare-options": "ServerSideDiff=true" },
      finalizers: ["resources-finalizer.argocd.argoproj.io"],
    },
    spec: {
      project: projectName(environment),
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
      destination: { server: CLUSTER, namespace: chart.namespace },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        // The namespace is an object of ours, with its policies; CRDs are too large for client-side apply.
        syncOptions: ["CreateNamespace=false", "ServerSideApply=true"],
        retry: { limit: 10, backoff: { duration: "10s", factor: 2, maxDuration: "5m" } },
      },
    },
  };
}

function projectName(environment: string): string {
  return objectName("inference", environment);
}

/** What charts may create beside objects in namespaces: nothing that hands out nodes, volumes or namespaces. */
const CLUSTER_KINDS = [
  { group: "admissionregistration.k8s.io", kind: "MutatingWebhookConfiguration" },
  { group: "admissionregistration.k8s.io", kind: "ValidatingAdmissionPolicy" },
  { group: "admissionregistration.k8s.io", kind: "ValidatingAdmissionPolicyBinding" },
  { group: "admissionregistration.k8s.io", kind: "ValidatingWebhookConfiguration" },
  { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
  { group: "apiregistration.k8s.io", kind: "APIService" },
  { group: "rbac.authorization.k8s.io", kind: "ClusterRole" },
  { group: "rbac.authorization.k8s.io", kind: "ClusterRoleBinding" },
];

/**
 * The project of an environment's charts: these repositories, the namespaces that they or their values name, and few
 * kinds beyond them.
 *
 * @param namespaces all namespaces of the environment.
 */
export function project(
  environment: string,
  charts: readonly Chart[],
  namespaces: readonly string[],
  labels: Labels,
): KubernetesObject {
  const named = new Set(charts.flatMap(({ namespace, values }) => [namespace, ...textsIn(values)]));
  const allowed = namespaces.filter((namespace) => named.has(namespace));
  return {
    apiVersion: API,
    kind: "AppProject",
    metadata: {
      name: projectName(environment),
      namespace: ARGO_NAMESPACE,
      labels: { ...labels, ...renderedLabels("charts", environment) },
    },
    spec: {
      description: `Charts of the inference platform ${environment}`,
      sourceRepos: unique(charts.map((chart) => chart.repository)),
      destinations: unique([...allowed, SYSTEM_NAMESPACE]).map((namespace) => ({ server: CLUSTER, namespace })),
      clusterResourceWhitelist: CLUSTER_KINDS,
    },
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Charts put Services for its metrics and leases here. */
const SYSTEM_NAMESPACE = "kube-system";

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
