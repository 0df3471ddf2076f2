import { type Labels, MODEL_LABEL } from "../../names/labels";
import { gatewayTargetName } from "../../names/scrape-jobs";
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
  /** Labels added to every series, for example the engine. */
  readonly labels?: Labels;
  /** Labels added to series by a regular expression for the value of another label: what a server numbers, by its name. @default none */
  readonly renamed?: { readonly label: string; readonly values: Readonly<Record<string, Labels>> };
  /** Name of a label: series that have it are not kept. @default all are kept */
  readonly droppedWith?: string;
  /** @default a monitor of its own, named after it */
  readonly monitor?: SharedMonitor;
}

/** One monitor for targets that differ only in their namespaces and in what their pods' labels say. */
export interface SharedMonitor {
  readonly name: string;
  /** What the pods of all of them carry, and in their namespaces nothing else. */
  readonly podLabels: Labels;
  /** Labels added to every series, by the label of the pod that has the value. */
  readonly labelsOfPods: Labels;
}

/** The gateway's proxy pods and their metrics endpoints. */
export interface ProxyMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly metrics: readonly ({ readonly name: string } & Pick<ScrapeTarget, "port" | "path" | "droppedWith">)[];
}

/** Pods with the metrics of the whole model store. */
export interface ModelStoreMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly port: number;
}

/** One target for each model whose engine has metrics; those of one engine share a monitor where its labels mean no other pods. */
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

/**
 * What stands beside the engines of server groups: Envoy, and what tells a registrar. Those of one group, canaries too, share a monitor, which
 * says whose they are.
 */
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

/** The rate limit service, and whose quota each of its rules is. */
export interface RateLimiterMetrics {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly port: number;
  readonly rules: readonly { readonly tenant: string; readonly kind: string; readonly rule: string }[];
}

/** None where there is no quota: then the service does not run. */
export function rateLimiterTargets({ namespace, podLabels, port, rules }: RateLimiterMetrics): ScrapeTarget[] {
  const values = Object.fromEntries(rules.map(({ rule, tenant, kind }) => [rule, { tenant, quota: kind }]));
  return rules.length === 0
    ? []
    : [{ name: "rate-limiter", namespace, podLabels, port, path: "/metrics", renamed: { label: "key1", values } }];
}

/** cert-manager's controller, which knows when certificates expire. */
export function certManagerTarget({ namespace, podLabels, metricsPort }: typeof certManagerPods): ScrapeTarget {
  return { name: "cert-manager", namespace, podLabels, port: metricsPort, path: "/metrics" };
}

/** A controller of others, at the usual path. */
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
