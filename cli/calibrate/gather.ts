/** Prometheus' intervals of a model in a window, and whether one revision ran throughout. */
import { engineOf, type MetricMeaning } from "../../engines";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import type { Prometheus, Series, Window } from "../prometheus/client";
import { histogramOf } from "./histogram";
import type { Interval } from "./loads";

export interface Gathered {
  readonly intervals: readonly Interval[];
  /** Counter resets: restarted engines. */
  readonly restarts: number;
  /**
   * Image of each container with tag and digest, and ReplicaSets: several of either are several
   * revisions.
   */
  readonly images: readonly { readonly container: string; readonly image: string }[];
  readonly replicaSets: readonly string[];
}

type Model = Pick<ModelPlan, "name" | "engine">;

const NEEDED = [
  "timeToFirstTokenSeconds",
  "meanTokenSeconds",
  "latencySeconds",
  "promptTokensTotal",
  "generatedTokensTotal",
  "requestsTotal",
  "requestsRunning",
  "kvCacheUsage",
] as const satisfies readonly MetricMeaning[];
type Names = Readonly<Record<(typeof NEEDED)[number], string>>;

/** Series of its engine; undefined where one is missing. */
export function seriesNames({ engine }: Pick<ModelPlan, "engine">): Names | undefined {
  const series = engineOf(engine).metrics?.series ?? {};
  return NEEDED.every((meaning) => series[meaning] !== undefined) ? (series as Names) : undefined;
}

/** @throws NoAnswer, StepFailure */
export async function gather(
  prometheus: Prometheus,
  model: Model,
  names: Names,
  window: Window,
  signal: AbortSignal,
): Promise<Gathered> {
  const namespace = `namespace="${modelNamespaceName(model.name)}"`;
  const { start, end, step } = window;
  const [ofStep, ofAll] = [`[${step}s]`, `[${end - start}s]`];
  // Values are of the interval that ends there.
  const over = (query: string) => prometheus.over(query, { start: start + step, end, step }, signal);
  const grown = (series: string, labels = namespace) => over(`sum(increase(${series}{${labels}}${ofStep}))`);
  const histogram = async (series: string) => {
    const [buckets, sums] = await Promise.all([
      over(`sum by (le) (increase(${series}_bucket{${namespace}}${ofStep}))`),
      grown(`${series}_sum`),
    ]);
    return (time: number) =>
      histogramOf(new Map(buckets.map((each) => [boundOf(each), each.points.get(time) ?? 0])), at(sums, time) ?? 0);
  };
  const seen = (info: string) =>
    prometheus.now(`group by (container, image_spec, owner_name) (last_over_time(${info}${ofAll} @ ${end}))`, signal);
  const [firstToken, token, request, prompts, generated, failed, replicas, kvMean, kvMax, restarts, images, owners] =
    await Promise.all([
      histogram(names.timeToFirstTokenSeconds),
      histogram(names.meanTokenSeconds),
      histogram(names.latencySeconds),
      grown(names.promptTokensTotal),
      grown(names.generatedTokensTotal),
      grown(names.requestsTotal, `${namespace},finished_reason=~"abort|error"`),
      over(`count(count by (pod) (last_over_time(${names.requestsRunning}{${namespace}}${ofStep})))`),
      over(`avg(avg_over_time(${names.kvCacheUsage}{${namespace}}${ofStep}))`),
      over(`max(max_over_time(${names.kvCacheUsage}{${namespace}}${ofStep}))`),
      prometheus.now(`sum(resets(${names.generatedTokensTotal}{${namespace}}${ofAll} @ ${end}))`, signal),
      seen(`kube_pod_container_info{${namespace}}`),
      seen(`kube_pod_owner{${namespace},owner_kind="ReplicaSet",owner_name=~"model-.+"}`),
    ]);
  const times = Array.from({ length: Math.round((end - start) / step) }, (_, i) => start + (i + 1) * step);
  return {
    intervals: times.map((time) => {
      const [mean, max] = [at(kvMean, time), at(kvMax, time)];
      return {
        seconds: step,
        replicas: at(replicas, time) ?? 0,
        firstToken: firstToken(time),
        token: token(time),
        request: request(time),
        promptTokens: at(prompts, time) ?? 0,
        generatedTokens: at(generated, time) ?? 0,
        failed: at(failed, time) ?? 0,
        ...(mean !== undefined && max !== undefined && { kvCache: { mean, max } }),
      };
    }),
    restarts: restarts[0]?.value ?? 0,
    images: images.map(({ labels: { container = "", image_spec: image = "" } }) => ({ container, image })),
    replicaSets: owners.map(({ labels }) => labels.owner_name ?? ""),
  };
}

function boundOf({ labels: { le = "" } }: Series): number {
  return le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
}

function at([series]: readonly Series[], time: number): number | undefined {
  return series?.points.get(time);
}
