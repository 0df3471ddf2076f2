import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Standing } from "../../../components/node/scripts/membership.ts";
import { FAILURES } from "../../../components/node/scripts/registrar.ts";
import { metricsText } from "../../../components/node/scripts/registration.ts";
import { GPU_COUNTERS } from "../../../components/observability/gpu-counters";
import type { Fleet } from "../../../services/model-control/src/fleet/fleet";
import { RelayMetrics } from "../../../services/model-control/src/relay/metrics";
import type { Tasks } from "../../../services/model-control/src/tasks/task";
import { Metrics } from "../../../services/model-control/src/telemetry/metrics";
import { ALL_SUBJECTS } from "./all-subjects";

const KEYWORDS = new Set([
  ...["by", "without", "on", "ignoring", "group_left", "group_right", "bool", "offset"],
  ...["and", "or", "unless", "atan2", "inf", "nan"],
]);

/** Names of the metrics that a PromQL expression reads. */
export function metricNames(expr: string): string[] {
  const bare = expr
    .replace(/"(?:[^"\\]|\\.)*"/g, "")
    .replace(/\{[^}]*\}/g, "")
    .replace(/\[[^\]]*\]/g, "")
    .replace(/\boffset\s+\w+/g, "")
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, "");
  const words = [...bare.matchAll(/(?<![\w:.])[a-zA-Z_:][\w:]*(?!\s*\(|[\w:])/g)].map(([word]) => word);
  return [...new Set(words.filter((word) => !KEYWORDS.has(word.toLowerCase())))];
}

interface NamedMetric {
  readonly name: string;
  readonly type: string;
}

function fixture(name: string) {
  return JSON.parse(readFileSync(join(__dirname, "../../fixtures/upstream", name), "utf8"));
}

/** Series of a metric: a histogram has three. */
function series({ name, type }: NamedMetric): string[] {
  return type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => `${name}${suffix}`) : [name];
}

/** What the model control API exposes: asked of its own registry. */
async function modelControlMetrics(): Promise<NamedMetric[]> {
  const metrics = new Metrics();
  const tasks: Partial<Tasks> = {
    ping: async () => undefined,
    counts: async () => ({ queued: 0, running: 0 }),
    memory: async () => ({ usedBytes: 1, limitBytes: 2 }),
  };
  const fleet: Partial<Fleet> = { workers: async () => [] };
  metrics.observe(tasks as Tasks, fleet as Fleet);
  metrics.observeInference(
    { waiting: async () => ({ tasks: 0, oldestSeconds: 0 }) },
    { inferenceCounts: async () => ({ queued: 0, running: 0 }) },
  );
  return typesOf(await metrics.read());
}

/** What the relay of model control exposes. */
async function relayMetrics(): Promise<NamedMetric[]> {
  const metrics = new RelayMetrics([]);
  metrics.watch(() => 0);
  return typesOf(await metrics.read());
}

/** What registers a node exposes. */
function registrationMetrics(): NamedMetric[] {
  const failures = Object.fromEntries(FAILURES.map((kind) => [kind, 0])) as Standing["failures"];
  return typesOf(metricsText({ registered: true, wanted: true, lastSuccess: 0, renewals: 0, failures }));
}

function typesOf(text: string): NamedMetric[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
}

/** Metrics that the pinned versions of engines, exporters, proxies, controllers and our own service expose. */
async function exposed(): Promise<NamedMetric[]> {
  return [
    ...fixture("vllm-metrics.json").metrics,
    ...fixture("ray-metrics.json").metrics,
    ...fixture("triton.json").metrics,
    ...fixture("tgi.json").metrics,
    ...GPU_COUNTERS.map(([name, type]) => ({ name, type })),
    ...fixture("amd-metrics.json").metrics,
    ...fixture("ai-gateway-metrics.json").metrics,
    ...fixture("envoy-stats.json").proxyMetrics,
    ...fixture("envoy-stats.json").ratelimitMetrics,
    ...fixture("istio-metrics.json").sources.flatMap((source: { metrics: NamedMetric[] }) => source.metrics),
    ...(await modelControlMetrics()),
    ...(await relayMetrics()),
    ...registrationMetrics(),
    ...fixture("kubernetes-metrics.json").sources.flatMap((source: { metrics: NamedMetric[] }) => source.metrics),
    ...fixture("telemetry.json").sources.flatMap((source: { metrics: NamedMetric[] }) => source.metrics),
  ];
}

/** Every series of them. */
export async function exposedSeries(): Promise<Set<string>> {
  return new Set((await exposed()).flatMap(series));
}

/** Their names, of histograms without the suffixes of their series. */
export async function exposedMetrics(): Promise<Set<string>> {
  return new Set((await exposed()).map(({ name }) => name));
}

/** Every series that our recording rules make. */
export function recordedSeries(): Set<string> {
  return new Set(ALL_SUBJECTS.flatMap(({ recording }) => recording.map(({ record }) => record)));
}
