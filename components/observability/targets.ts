import { type Labels, MODEL_LABEL } from "../../names/labels";
import { gatewayTargetName } from "../../names/scrape-jobs";
import type { certManagerPods } from "../certificates/cert-manager";
import type { ModelEndpoint } from "../serving/endpoint";

export interface ScrapeTarget {
  /** Name of the monitor, unique among targets. */
  readonly name: string;
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly port: number;
  readonly path: string;
  /** Labels added to every series, for example the engine. */
  readonly labels?: Labels;
  /** Labels whose value depends on another label, by regular expression. @default none */
  readonly renamed?: { readonly label: string; readonly values: Readonly<Record<string, Labels>> };
  /** Name of a label: series that have it are not kept. @default all are kept */
  readonly droppedWith?: string;
  /** @default a monitor named after the target */
  readonly monitor?: SharedMonitor;
}

/** For targets that differ in namespace and pod labels only. */
export interface SharedMonitor {
  readonly name: string;
  /** Common to all pods, and to nothing else in their namespaces. */
  readonly podLabels: Labels;
  /** Labels of series by pod labels. */
  readonly labelsOfPods: Labels;
}

export interface ProxyMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly metrics: readonly ({ readonly name: string } & Pick<ScrapeTarget, "port" | "path" | "droppedWith">)[];
}

export interface ModelStoreMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly port: number;
}

/** Targets of one engine share a monitor where its labels match no other pods. */
export function modelTargets(endpoints: readonly ModelEndpoint[]): ScrapeTarget[] {
  return endpoints.flatMap(({ model, engine, namespace, podLabels, metrics, besideOthers = false }): ScrapeTarget[] => {
    if (!metrics) {
      return [];
    }
    const target = { name: `model-${model}`, namespace, podLabels, ...metrics };
    if (besideOthers) {
      return [{ ...target, labels: { inference_engine: engine, model } }];
    }
    const { "app.kubernetes.io/instance": _, ...common } = podLabels;
    const monitor = {
      name: ["models", ...Object.values(common)].join("-"),
      podLabels: common,
      labelsOfPods: { model: MODEL_LABEL },
    };
    return [{ ...target, labels: { inference_engine: engine }, monitor }];
  });
}

/** Envoy and the registration sidecar. Targets of a group share a monitor, canaries included. */
export function nodeTargets(endpoints: readonly ModelEndpoint[]): ScrapeTarget[] {
  return endpoints.flatMap(({ model, namespace, podLabels, node }) => {
    const { "app.kubernetes.io/instance": _, ...common } = podLabels;
    return (node?.metrics ?? []).map(({ name, port, path }): ScrapeTarget => {
      const { group = "" } = node ?? {};
      const monitor = {
        name: [`${name}s`, group, ...Object.values(common)].join("-"),
        podLabels: common,
        labelsOfPods: { model: MODEL_LABEL },
      };
      return { name: `${name}-${model}`, namespace, podLabels, port, path, labels: { group }, monitor };
    });
  });
}

export function gatewayTargets({ namespace, podLabels, metrics }: ProxyMetrics): ScrapeTarget[] {
  return metrics.map(({ name, ...endpoint }) => ({ name: gatewayTargetName(name), namespace, podLabels, ...endpoint }));
}

export function modelStoreTarget({ namespace, podLabels, port }: ModelStoreMetrics): ScrapeTarget {
  return { name: "model-store", namespace, podLabels, port, path: "/metrics" };
}

/** The rate limit service, and the tenant of each rule. */
export interface RateLimiterMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly port: number;
  readonly rules: readonly { readonly tenant: string; readonly kind: string; readonly rule: string }[];
}

/** Without quotas the service does not run. */
export function rateLimiterTargets({ namespace, podLabels, port, rules }: RateLimiterMetrics): ScrapeTarget[] {
  const values = Object.fromEntries(rules.map(({ rule, tenant, kind }) => [rule, { tenant, quota: kind }]));
  return rules.length === 0
    ? []
    : [{ name: "rate-limiter", namespace, podLabels, port, path: "/metrics", renamed: { label: "key1", values } }];
}

/** It knows when certificates expire. */
export function certManagerTarget({ namespace, podLabels, metricsPort }: typeof certManagerPods): ScrapeTarget {
  return { name: "cert-manager", namespace, podLabels, port: metricsPort, path: "/metrics" };
}

/** An existing controller, at the usual path. */
export function controllerTarget(
  name: string,
  {
    namespace,
    podLabels,
    metricsPort,
  }: Pick<ScrapeTarget, "namespace" | "podLabels"> & { readonly metricsPort: number },
): ScrapeTarget {
  return { name, namespace, podLabels, port: metricsPort, path: "/metrics" };
}

/** @throws Error when two share a name: monitors are named after targets. */
export function distinctTargets(targets: readonly ScrapeTarget[]): readonly ScrapeTarget[] {
  const duplicate = targets.find(({ name }, i) => targets.findIndex((other) => other.name === name) !== i);
  if (duplicate) {
    throw new Error(`two scrape targets are named "${duplicate.name}" (${duplicate.namespace}): names must be unique`);
  }
  return targets;
}
