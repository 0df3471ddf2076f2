/** Promised times, and requests within them: the figures that replicas are planned for. */

import type { MetricMeaning } from "../../../engines";
import { histogramsOf } from "../../../engines/metrics";
import { modelNamespaceName } from "../../../names/namespaces";
import { tokenTimeOf } from "../../../planner/level/level-rate";
import { USUAL_PERCENTILE } from "../../../planner/service-level";
import type { ModelPlan } from "../../../planner/types";
import { type CalledModel, calledBy, GATEWAY_HISTOGRAMS } from "./gateway-tokens";
import { laterThan } from "./in-time";
import { LEVEL } from "./level-series";
import { OBJECTIVE, type ObjectiveName, objectiveSeries } from "./objectives";
import type { InputSeries, RecordingRule, RuleSubject } from "./types";

type Time = keyof typeof LEVEL;

const TIMES: Readonly<Record<Time, { objective: ObjectiveName; meaning: MetricMeaning; about: string }>> = {
  firstToken: {
    objective: "first_token",
    meaning: "timeToFirstTokenSeconds",
    about: "Longest time to the first token that a model's service level allows, in seconds.",
  },
  token: {
    objective: "token",
    meaning: "meanTokenSeconds",
    about:
      "Longest time for each further token that a model's service level allows, on average over an answer, in seconds.",
  },
};

export type PromisedModel = Pick<ModelPlan, "name" | "serviceLevel">;

/** None for models without a promise. */
export function serviceLevels(models: readonly PromisedModel[], called: readonly CalledModel[] = []): RuleSubject {
  return { subject: "service-levels", recording: models.flatMap((model) => ofModel(model, called)), alerts: [] };
}

function ofModel({ name, serviceLevel = {} }: PromisedModel, called: readonly CalledModel[]): RecordingRule[] {
  const { names = [] } = called.find(({ model }) => model === name) ?? {};
  const { ttftMs, availability, percentile = USUAL_PERCENTILE } = serviceLevel;
  const milliseconds: Readonly<Record<Time, number | undefined>> = {
    firstToken: ttftMs,
    token: tokenTimeOf(serviceLevel),
  };
  const times = (Object.keys(TIMES) as Time[]).flatMap((time): RecordingRule[] => {
    const promised = milliseconds[time];
    if (promised === undefined) {
      return [];
    }
    const seconds = promised / 1000;
    const { objective } = TIMES[time];
    return [
      timeSeries(time, name, percentile, seconds),
      promise(name, objective, percentile / 100),
      ...kept(time, { model: name, names }, seconds),
    ];
  });
  return [...times, ...(availability === undefined ? [] : [promise(name, "availability", availability)])];
}

function timeSeries(time: Time, name: string, percentile: number, seconds: number): RecordingRule {
  const labels = { namespace: modelNamespaceName(name), model: name, percentile: String(percentile) };
  const series = `${LEVEL[time]}{namespace="${labels.namespace}",model="${name}",percentile="${percentile}"}`;
  return {
    record: LEVEL[time],
    expr: `vector(${seconds})`,
    labels,
    about: TIMES[time].about,
    cases: { gives: { series: {}, at: "5m", samples: { [series]: seconds } } },
  };
}

function promise(name: string, objective: ObjectiveName, share: number): RecordingRule {
  return {
    record: OBJECTIVE.promised,
    expr: `vector(${share})`,
    labels: { namespace: modelNamespaceName(name), model: name, objective },
    about: "Share of a model's requests that its service level promises to be good, over 30 days.",
    cases: {
      gives: { series: {}, at: "5m", samples: { [objectiveSeries(OBJECTIVE.promised, name, objective)]: share } },
    },
  };
}

/** Late requests and all, by the engine's histogram or else the gateway's. */
function kept(time: Time, { model: name, names }: CalledModel, seconds: number) {
  const { objective, meaning } = TIMES[time];
  const namespace = modelNamespaceName(name);
  const ofEngine = `namespace="${namespace}",model="${name}"`;
  const rateOf = (own: string) => (series: string, labels?: string) =>
    `sum(rate(${series}{${labels === undefined ? own : `${own},${labels}`}}[5m]))`;
  const sources = [
    ...histogramsOf(meaning).map((histogram) => ({ histogram, rate: rateOf(ofEngine) })),
    ...(names.length === 0 ? [] : [{ histogram: GATEWAY_HISTOGRAMS[time], rate: rateOf(calledBy(names)) }]),
  ];
  const labels = { namespace, model: name, objective };
  const rules = {
    bad: sources.map(({ histogram, rate }) => `(${laterThan(seconds, histogram, rate)})`).join(" or "),
    all: sources.map(({ histogram, rate }) => rate(`${histogram.series}_count`)).join(" or "),
  };
  // A quarter of 60 requests a minute ends at the last bound, the others never.
  const [{ series = "", bounds = [] } = {}] = histogramsOf(meaning);
  const of = `{namespace="${namespace}",model="${name}",pod="pod-0"`;
  const series60: InputSeries = {
    ...Object.fromEntries(
      bounds.map((bound) => [
        `${series}_bucket${of},le="${Number.isInteger(bound) ? bound.toFixed(1) : bound}"}`,
        bound > seconds ? "0+60x20" : "0+45x20",
      ]),
    ),
    [`${series}_count${of}}`]: "0+60x20",
  };
  const lower = bounds.findLast((bound) => bound <= seconds) ?? 0;
  const upper = bounds.find((bound) => bound > seconds);
  const late = upper === undefined ? 0.25 : 0.25 * (1 - (seconds - lower) / (upper - lower));
  return (["bad", "all"] as const).map(
    (which): RecordingRule => ({
      record: OBJECTIVE[which],
      expr: rules[which],
      labels,
      about: `Requests of a model in a second that an objective of times ${which === "bad" ? "finds late" : "counts"}.`,
      cases: {
        gives: {
          series: series60,
          at: "15m",
          samples: { [objectiveSeries(OBJECTIVE[which], name, objective)]: which === "bad" ? late : 1 },
        },
      },
    }),
  );
}
