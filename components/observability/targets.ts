import type { Labels } from "../../names/labels";
import type { certManagerPods } from "../certificates/cert-manager";
import type { ModelEndpoint } from "../serving/endpoint";

/** Pods with a Prometheus endpoint. */
export interface ScrapeTarget {
  /** Name of the monitor: unique among targets. */
  readonly name: string;
  readonly namespace: string;
  readonly podLabels: Labels;
  /** Port that the container declares. */
  readonly port: number;
  readonly path: string;
  /** Labels added to every series, for example the model. */
  readonly labels?: Labels;
}

/** The gateway's proxy pods and their metrics endpoints. */
export interface ProxyMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly metrics: readonly { readonly name: string; readonly port: number; readonly path: string }[];
}

/** Pods with the metrics of the whole model store. */
export interface ModelStoreMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly port: number;
}

/** One target for each model whose engine has metrics. */
export function modelTargets(endpoints: readonly ModelEndpoint[]): ScrapeTarget[] {
  return endpoints.flatMap(({ model, engine, namespace, podLabels, metrics }) =>
    metrics
      ? [{ name: `model-${model}`, namespace, podLabels, ...metrics, labels: { model, inference_engine: engine } }]
      : [],
  );
}

export function gatewayTargets({ namespace, podLabels, metrics }: ProxyMetrics): ScrapeTarget[] {
  return metrics.map(({ name, port, path }) => ({ name: `gateway-${name}`, namespace, podLabels, port, path }));
}

export function modelStoreTarget({ namespace, podLabels, port }: ModelStoreMetrics): ScrapeTarget {
  return { name: "model-store", namespace, podLabels, port, path: "/metrics" };
}

/** cert-manager's controller, which knows when certificates expire. */
export function certManagerTarget({ namespace, podLabels, metricsPort }: typeof certManagerPods): ScrapeTarget {
  return { name: "cert-manager", namespace, podLabels, port: metricsPort, path: "/metrics" };
}

/**
 * All targets of a platform, as given.
 *
 * @throws Error when two have the same name: monitors are named after them.
 */
export function distinctTargets(targets: readonly ScrapeTarget[]): readonly ScrapeTarget[] {
  const duplicate = targets.find(({ name }, i) => targets.findIndex((other) => other.name === name) !== i);
  if (duplicate) {
    throw new Error(
      `two scrape targets are named "${duplicate.name}" (${duplicate.namespace}): give each its own name`,
    );
  }
  return targets;
}
