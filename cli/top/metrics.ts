/** Models, GPUs and alerts from Prometheus: the series of dashboards and alerts. */
import type { MetricMeaning } from "../../engines";
import { metric } from "../../engines/metrics";
import { COST_SERIES } from "../../names/cost-series";
import { type GATEWAY_TIMES, gatewayBuckets } from "../../names/gateway-times";
import { modelNamespaceName } from "../../names/namespaces";
import { READY_REPLICAS_SERIES, SIGNAL_SERIES, UNDER_WAY_SERIES } from "../../names/recorded-series";
import type { Prometheus, Sample } from "../prometheus/client";
import type { AlertRow, GpuRow, MetricFacts, ModelFigures } from "./facts";

const now = (meaning: MetricMeaning, by: string) => `${by} by (model) (${metric(meaning, (series) => series)})`;

/** Milliseconds, last five minutes: the engine's own, or the gateway's for engines without. */
const p95 = (histogram: MetricMeaning, time: keyof typeof GATEWAY_TIMES) =>
  [`sum by (model, le) (${metric(histogram, (series) => `rate(${series}_bucket[5m])`)})`, gatewayBuckets(time, "5m")]
    .map((buckets) => `1000 * histogram_quantile(0.95, ${buckets})`)
    .join(" or ");

const OF_MODELS: Readonly<Record<Exclude<keyof ModelFigures, "gpuMemory">, string>> = {
  ready: `sum by (model) (${READY_REPLICAS_SERIES})`,
  waiting: now("requestsWaiting", "sum"),
  running: `${now("requestsRunning", "sum")} or sum by (model) (${UNDER_WAY_SERIES})`,
  firstTokenMs: p95("timeToFirstTokenSeconds", "firstToken"),
  tokenMs: p95("interTokenSeconds", "token"),
  requestMs: `max by (model) (${SIGNAL_SERIES.latency})`,
  kvCache: now("kvCacheUsage", "max"),
  usdPerHour: `sum by (model) (${COST_SERIES.model})`,
};

const GPU_MEMORY = "gpu_memory_utilization";
const GPU_UTILIZATION = "gpu_utilization_percent";
const ALERTS = 'ALERTS{alertstate="firing",severity=~"critical|warning"}';

/** @throws NoAnswer, StepFailure */
export async function askMetrics(prometheus: Prometheus, signal: AbortSignal): Promise<MetricFacts> {
  const keys = Object.keys(OF_MODELS) as (keyof typeof OF_MODELS)[];
  const ask = (query: string) => prometheus.now(query, signal);
  const [figures, memory, utilization, alerts, [cost]] = await Promise.all([
    Promise.all(keys.map(async (key) => [key, await ask(OF_MODELS[key])] as const)),
    ask(GPU_MEMORY),
    ask(GPU_UTILIZATION),
    ask(ALERTS),
    ask(COST_SERIES.total),
  ]);
  const gpus = gpuRows(memory, utilization);
  return {
    models: withGpuMemory(byModel(figures), gpus),
    gpus,
    alerts: alertRows(alerts),
    ...(cost && { usdPerHour: cost.value }),
  };
}

function byModel(figures: readonly (readonly [keyof ModelFigures, readonly Sample[]])[]): Map<string, ModelFigures> {
  const models = new Map<string, ModelFigures>();
  for (const [key, samples] of figures) {
    for (const { labels, value } of samples) {
      const { model } = labels;
      if (model !== undefined) {
        models.set(model, { ...models.get(model), [key]: value });
      }
    }
  }
  return models;
}

function withGpuMemory(models: ReadonlyMap<string, ModelFigures>, gpus: readonly GpuRow[]): MetricFacts["models"] {
  return Object.fromEntries(
    [...models].map(([name, figures]) => {
      const own = gpus.flatMap(({ model, memory }) => (model === name && memory !== undefined ? [memory] : []));
      return [name, own.length === 0 ? figures : { ...figures, gpuMemory: Math.max(...own) }];
    }),
  );
}

const MODEL_NAMESPACE = modelNamespaceName("");

function gpuRows(memory: readonly Sample[], utilization: readonly Sample[]): GpuRow[] {
  // Slices of a card have its number, and pods of their own.
  const keyOf = ({ node, instance, gpu, namespace, pod }: Sample["labels"]) =>
    [node ?? instance, gpu, namespace, pod].join(" ");
  const used = new Map(utilization.map(({ labels, value }) => [keyOf(labels), value / 100]));
  return memory.map(({ labels, value }) => {
    const { node, instance, gpu = "", product = "", namespace = "" } = labels;
    const model = namespace.startsWith(MODEL_NAMESPACE) ? namespace.slice(MODEL_NAMESPACE.length) : undefined;
    return {
      node: node ?? instance ?? "",
      gpu,
      product,
      ...(model !== undefined && { model }),
      memory: value / 100,
      utilization: used.get(keyOf(labels)),
    };
  });
}

function alertRows(samples: readonly Sample[]): AlertRow[] {
  const rows = samples.map(({ labels }) => ({
    name: labels.alertname ?? "",
    severity: labels.severity ?? "",
    about: labels.model ?? labels.node ?? labels.namespace,
  }));
  return rows.sort((a, b) => a.severity.localeCompare(b.severity) || a.name.localeCompare(b.name));
}
