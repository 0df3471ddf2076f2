import { isPlain } from "../../../kubernetes/plain";
import { field } from "../../render/argo-cd/fields";
import type { Pod, PortAt } from "../network-policies";
import type { RecordedObject } from "../recorded-objects";
import type { UnseenService } from "./pods";

/** Pods of a chart, which a program has no object of: who connects to them. */
interface ChartPods {
  /** Name of the chart's release. */
  readonly release: string;
  /** As the chart's templates write them. */
  readonly labels: Pod["labels"];
  /** Port at which the API server calls them: admission webhooks and aggregated APIs. */
  readonly calledByApiServer?: number;
  /** Whether they use the Kubernetes API. @default false */
  readonly usesApi?: true;
  /** Port at which Prometheus reads them by a monitor of the chart's own. */
  readonly scraped?: number;
  /** A Service of theirs, with the ports of its pods by its own. */
  readonly service?: { readonly name: string; readonly ports: Readonly<Record<number, number>> };
  /** Pods that connect to them, of their own namespace unless another is named. */
  readonly calledBy?: { readonly namespace?: string; readonly labels: Pod["labels"]; readonly at: readonly PortAt[] };
  /** Path in the chart's values of what they alone are for: they are there with it, and connect to what it names. */
  readonly settings?: readonly string[];
}

const named = (name: string): Pod["labels"] => ({ "app.kubernetes.io/name": name });
const argoCd = (name: string): Pod["labels"] => ({ ...named(name), "app.kubernetes.io/instance": "argocd" });
const tcp = (port: number): PortAt => ({ port, protocol: "TCP" });

/** Envoy Gateway's proxies, by the labels that it gives them (1.9.0, internal/infrastructure/kubernetes/proxy). */
export const PROXIES: Pod = {
  namespace: "inference-gateway",
  labels: {
    "gateway.envoyproxy.io/owning-gateway-name": "inference",
    "gateway.envoyproxy.io/owning-gateway-namespace": "inference-gateway",
  },
};
/** cert-manager's controller. */
export const CERT_MANAGER: Pod = {
  namespace: "cert-manager",
  labels: { ...named("cert-manager"), "app.kubernetes.io/component": "controller" },
};
const RATE_LIMITER = {
  ...named("envoy-ratelimit"),
  "app.kubernetes.io/component": "ratelimit",
  "app.kubernetes.io/managed-by": "envoy-gateway",
};
const QUOTAS = ["config", "envoyGateway", "rateLimit"];

/** By labels and ports of the charts' templates, at the versions of catalog/charts.json. */
const CHART_PODS: readonly ChartPods[] = [
  {
    release: "envoy-gateway",
    labels: { "control-plane": "envoy-gateway" },
    usesApi: true,
    calledBy: { ...PROXIES, at: [tcp(18000)] },
  },
  { release: "envoy-gateway", settings: QUOTAS, labels: RATE_LIMITER, calledBy: { ...PROXIES, at: [tcp(8081)] } },
  {
    release: "envoy-gateway",
    settings: QUOTAS,
    labels: { "control-plane": "envoy-gateway" },
    calledBy: { labels: RATE_LIMITER, at: [tcp(18001)] },
  },
  { release: "cert-manager", labels: named("webhook"), calledByApiServer: 10250, usesApi: true },
  { release: "cert-manager", labels: named("cainjector"), usesApi: true },
  { release: "cert-manager", labels: CERT_MANAGER.labels, usesApi: true },
  {
    release: "ai-gateway",
    labels: named("ai-gateway-helm"),
    usesApi: true,
    calledByApiServer: 9443,
    service: { name: "ai-gateway-controller", ports: { 1063: 1063 } },
  },
  { release: "keda", labels: named("keda-admission-webhooks"), calledByApiServer: 9443, usesApi: true },
  { release: "keda", labels: named("keda-operator-metrics-apiserver"), calledByApiServer: 6443, usesApi: true },
  {
    release: "keda",
    labels: named("keda-operator"),
    usesApi: true,
    calledBy: { labels: named("keda-operator-metrics-apiserver"), at: [tcp(9666)] },
  },
  { release: "istiod", labels: { app: "istiod" }, calledByApiServer: 15017, usesApi: true },
  { release: "istio-cni", labels: named("istio-cni"), usesApi: true },
  { release: "lws", labels: named("lws"), calledByApiServer: 9443, usesApi: true },
  { release: "kuberay-operator", labels: named("kuberay-operator"), usesApi: true },
  { release: "karpenter", labels: named("karpenter"), usesApi: true },
  { release: "gpu-operator", labels: { app: "gpu-operator" }, usesApi: true },
  {
    release: "aws-load-balancer-controller",
    labels: named("aws-load-balancer-controller"),
    calledByApiServer: 9443,
    usesApi: true,
  },
  {
    release: "metrics",
    labels: named("kube-prometheus-stack-prometheus-operator"),
    calledByApiServer: 10250,
    usesApi: true,
    scraped: 10250,
  },
  { release: "metrics", labels: named("kube-state-metrics"), usesApi: true, scraped: 8080 },
  {
    release: "metrics",
    labels: named("prometheus"),
    usesApi: true,
    service: { name: "metrics-prometheus", ports: { 9090: 9090 } },
    calledBy: { labels: named("grafana"), at: [tcp(9090)] },
  },
  {
    release: "metrics",
    labels: named("alertmanager"),
    scraped: 9093,
    calledBy: { labels: named("alertmanager"), at: [tcp(9094), { port: 9094, protocol: "UDP" }] },
  },
  {
    release: "beta9",
    labels: { ...named("beta9"), "app.kubernetes.io/instance": "beta9" },
    usesApi: true,
    service: { name: "beta9-gateway", ports: { 1993: 1993, 1994: 1994 } },
  },
  ...["argocd-application-controller", "argocd-server", "argocd-repo-server"].map((name) => ({
    release: "argocd",
    labels: argoCd("argocd-redis"),
    calledBy: { labels: argoCd(name), at: [tcp(6379)] },
  })),
  ...["argocd-application-controller", "argocd-server"].map((name) => ({
    release: "argocd",
    labels: argoCd("argocd-repo-server"),
    scraped: 8084,
    calledBy: { labels: argoCd(name), at: [tcp(8081)] },
  })),
  { release: "argocd", labels: argoCd("argocd-application-controller"), usesApi: true, scraped: 8082 },
  { release: "argocd", labels: argoCd("argocd-server"), usesApi: true, scraped: 8083 },
  { release: "dcgm-exporter", labels: named("dcgm-exporter"), scraped: 9400 },
  { release: "amd-device-metrics-exporter", labels: named("metrics-exporter"), usesApi: true, scraped: 5000 },
];

/** A row of the table whose chart a program installs. */
export interface InstalledPods extends ChartPods {
  readonly pod: Pod;
}

/** What is known of the charts of a program. */
export function installedPods(objects: readonly RecordedObject[]): InstalledPods[] {
  return CHART_PODS.flatMap((row) =>
    objects
      .filter(({ kind, name }) => kind === "Release" && name === row.release)
      .filter(({ inputs }) => row.settings === undefined || field(inputs.values, ...row.settings) !== undefined)
      .map(({ namespace }) => ({ ...row, pod: { namespace, labels: row.labels } })),
  );
}

/** Values of a chart, by the pods that connect to what they name: the weakest of its namespace, where no other pods are known. */
export function readersOfValues(chart: RecordedObject): { readonly from: Pod; readonly values: unknown }[] {
  const { namespace, inputs } = chart;
  const apart = installedPods([chart]).filter(
    ({ settings, calledBy }) => settings && calledBy?.namespace !== undefined,
  );
  const own = apart.map(({ pod, settings = [] }) => ({ from: pod, values: field(inputs.values, ...settings) }));
  const rest = apart.reduce<unknown>((values, { settings = [] }) => without(values, settings), inputs.values);
  return [...own, { from: { namespace, labels: {} }, values: rest }];
}

/** Plain data without what stands at a path. */
function without(value: unknown, [key, ...path]: readonly string[]): unknown {
  if (key === undefined || !isPlain(value)) {
    return undefined;
  }
  return { ...value, [key]: without(value[key], path) };
}

/** Services of charts, and those that KubeRay makes in front of the workers of a RayService. */
export function unseenServices(objects: readonly RecordedObject[]): UnseenService[] {
  const ofCharts = installedPods(objects).flatMap(({ service, pod }) => (service ? [{ ...service, ...pod }] : []));
  const ofRay = objects
    .filter(({ kind }) => kind === "RayService")
    .map(({ name, namespace, inputs }) => {
      const { serveService, rayClusterConfig } = inputs.spec as RayServiceSpec;
      const [workers] = rayClusterConfig.workerGroupSpecs;
      return {
        name: `${name}-serve-svc`,
        namespace,
        labels: workers.template.metadata.labels,
        ports: Object.fromEntries(serveService.spec.ports.map(({ port }) => [port, port])),
      };
    });
  return [...ofCharts, ...ofRay];
}

interface RayServiceSpec {
  readonly serveService: { readonly spec: { readonly ports: readonly { readonly port: number }[] } };
  readonly rayClusterConfig: {
    readonly workerGroupSpecs: readonly [{ readonly template: { readonly metadata: Pick<Pod, "labels"> } }];
  };
}

/** Names of all charts of the table. */
export const KNOWN_CHARTS: readonly string[] = [...new Set(CHART_PODS.map(({ release }) => release))];
