/** Whether models keep the times that their service levels promise: the very figures that they were planned for. */
import { metric, seriesOf } from "../../../engines/metrics";
import { modelNamespaceName } from "../../../names/namespaces";
import { tokenTimeOf } from "../../../planner/level/level-rate";
import { PERCENTILES, USUAL_PERCENTILE } from "../../../planner/service-level";
import type { ModelPlan } from "../../../planner/types";
import { availabilitySeries } from "./errors";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";

/** What a plan promises of a model's times, as series with the `percentile` that they are of: rules are the same for every plan. */
export const LEVEL = {
  firstToken: "inference:level_first_token_seconds",
  token: "inference:level_token_seconds",
} as const;

const ABOUT: Readonly<Record<keyof typeof LEVEL, string>> = {
  firstToken: "Longest time to the first token that a model's service level allows, in seconds.",
  token:
    "Longest time for each further token that a model's service level allows, on average over an answer, in seconds.",
};

/** What is read of a plan. */
export type PromisedModel = Pick<ModelPlan, "name" | "serviceLevel">;

/** The series of a plan: none of models that promise nothing. */
export function serviceLevels(models: readonly PromisedModel[]): RuleSubject {
  return { subject: "service-levels", recording: models.flatMap(ofModel), alerts: [] };
}

function ofModel({ name, serviceLevel = {} }: PromisedModel): RecordingRule[] {
  const { ttftMs, percentile = USUAL_PERCENTILE } = serviceLevel;
  const milliseconds: Readonly<Record<keyof typeof LEVEL, number | undefined>> = {
    firstToken: ttftMs,
    token: tokenTimeOf(serviceLevel),
  };
  const labels = { namespace: modelNamespaceName(name), model: name, percentile: String(percentile) };
  const availability =
    serviceLevel.availability === undefined ? [] : [availabilitySeries(name, serviceLevel.availability)];
  const times = (Object.keys(LEVEL) as (keyof typeof LEVEL)[]).flatMap((key): RecordingRule[] => {
    const promised = milliseconds[key];
    if (promised === undefined) {
      return [];
    }
    const seconds = promised / 1000;
    const series = `${LEVEL[key]}{namespace="${labels.namespace}",model="${name}",percentile="${percentile}"}`;
    return [
      {
        record: LEVEL[key],
        expr: `vector(${seconds})`,
        labels,
        about: ABOUT[key],
        cases: { gives: { series: {}, at: "5m", samples: { [series]: seconds } } },
      },
    ];
  });
  return [...times, ...availability];
}

/** Above the promised time at the promised percentile; PromQL takes no percentile from a series, so that each has a row. */
function above(histogram: "timeToFirstTokenSeconds" | "meanTokenSeconds", promised: string): string {
  const buckets = `sum by (namespace, model, le) (${metric(histogram, (series) => `rate(${series}_bucket[5m])`)})`;
  return PERCENTILES.map(
    (percentile) =>
      `(histogram_quantile(${percentile / 100}, ${buckets}) > on (namespace, model) ${promised}{percentile="${percentile}"})`,
  ).join(" or ");
}

const CHAT = 'namespace="model-chat",pod="chat-0",model="chat",model_name="chat",engine="0"';
const OF_CHAT = { namespace: "model-chat", model: "chat" };

/** For cases: so many of 60 requests a minute in a bucket, all of them in the next one, beside what is promised. */
function inBuckets(
  meaning: "timeToFirstTokenSeconds" | "meanTokenSeconds",
  of: readonly [string, number, string],
  promised: string,
) {
  const [series] = seriesOf(meaning);
  const [low, within, high] = of;
  return {
    [`${series}_bucket{${CHAT},le="${low}"}`]: `0+${within}x40`,
    [`${series}_bucket{${CHAT},le="${high}"}`]: "0+60x40",
    [`${series}_bucket{${CHAT},le="+Inf"}`]: "0+60x40",
    [promised]: "2x40",
  };
}

const promisedFirst = `${LEVEL.firstToken}{namespace="model-chat",model="chat",percentile="95"}`;
const promisedToken = `${LEVEL.token}{namespace="model-chat",model="chat",percentile="90"}`;

const firstTokenLate: AlertRule = {
  alert: "FirstTokenBeyondLevel",
  expr: above("timeToFirstTokenSeconds", LEVEL.firstToken),
  for: "10m",
  severity: "warning",
  summary: "First token of {{ $labels.model }} takes {{ $value | humanizeDuration }}, longer than its service level",
  description:
    "For 10 minutes more requests for {{ $labels.model }} than its service level allows have waited longer for their first token than its ttftMs. The plan was made for less traffic, or for a faster replica: compare both (docs/service-levels.md).",
  cases: {
    fires: {
      series: inBuckets("timeToFirstTokenSeconds", ["1.0", 50, "5.0"], promisedFirst),
      at: "30m",
      labels: OF_CHAT,
    },
    // Of this level one request in twenty may wait longer: one in thirty does.
    quiet: { series: inBuckets("timeToFirstTokenSeconds", ["1.0", 58, "5.0"], promisedFirst), at: "30m" },
  },
};

const tokensSlow: AlertRule = {
  alert: "TokensBeyondLevel",
  expr: above("meanTokenSeconds", LEVEL.token),
  for: "10m",
  severity: "warning",
  summary: "A token of {{ $labels.model }} takes {{ $value | humanizeDuration }}, longer than its service level",
  description:
    "For 10 minutes more answers of {{ $labels.model }} than its service level allows have had longer between their tokens, on average over the answer, than its tpotMs or tokensPerSecond. More requests run in each replica than it was planned for, or it is slower than predicted (docs/service-levels.md).",
  cases: {
    fires: {
      series: inBuckets("meanTokenSeconds", ["1.0", 50, "5.0"], promisedToken),
      at: "30m",
      labels: OF_CHAT,
    },
    quiet: { series: inBuckets("meanTokenSeconds", ["1.0", 57, "5.0"], promisedToken), at: "30m" },
  },
};

/** Of models that promise times; nothing of the others. */
export const keptLevels: RuleSubject = {
  subject: "kept-levels",
  recording: [],
  alerts: [firstTokenLate, tokensSlow],
};
