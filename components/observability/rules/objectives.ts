/**
 * Objectives of service levels, by the label `objective`. Windows and burn rates: Google's Site
 * Reliability Workbook, chapter 5.
 */

import { modelNamespaceName } from "../../../names/namespaces";
import { ASLEEP, MODEL_ANSWERS, MODEL_ERRORS, routeSeries } from "./error-series";
import { LEAST_ERRORS } from "./errors";
import { BURN_RATES } from "./limits";
import type { AlertRule, InputSeries, PrometheusDuration, RecordingRule, RuleSubject } from "./types";

export type ObjectiveName = "availability" | "first_token" | "token";

/** By `namespace`, `model` and `objective`. */
export const OBJECTIVE = {
  promised: "inference:level_objective:ratio",
  bad: "inference:level_bad:rate5m",
  all: "inference:level_all:rate5m",
  left: "inference:error_budget_left:ratio",
} as const;

const BY = "namespace, model, objective";

export function objectiveSeries(series: string, model: string, objective: ObjectiveName): string {
  return `${series}{namespace="${modelNamespaceName(model)}",model="${model}",objective="${objective}"}`;
}

const IS_AVAILABILITY = `${OBJECTIVE.promised}{objective="availability"}`;
/** The rule adds the label. */
const promised = (rate: string) => `${rate} and on (namespace, model) ${IS_AVAILABILITY}`;

const promisesMost = (model: string, samples: string): InputSeries => ({
  [objectiveSeries(OBJECTIVE.promised, model, "availability")]: samples,
});

const bad: RecordingRule = {
  record: OBJECTIVE.bad,
  // A model without failures has no series of errors.
  expr: promised(`(${MODEL_ERRORS} or 0 * ${MODEL_ANSWERS})`),
  labels: { objective: "availability" },
  about: "Requests of a model in a second that break an objective of its service level.",
  cases: {
    gives: {
      series: {
        ...promisesMost("chat", "0.999x20"),
        ...promisesMost("well", "0.999x20"),
        ...routeSeries("chat", { "2": "0+54x20", "5": "0+6x20" }),
        ...routeSeries("well", { "2": "0+60x20" }),
        ...routeSeries("other", { "5": "0+6x20" }),
      },
      at: "15m",
      samples: {
        [objectiveSeries(OBJECTIVE.bad, "chat", "availability")]: 0.1,
        [objectiveSeries(OBJECTIVE.bad, "well", "availability")]: 0,
      },
    },
  },
};

const all: RecordingRule = {
  record: OBJECTIVE.all,
  expr: promised(MODEL_ANSWERS),
  labels: { objective: "availability" },
  about: "Requests of a model in a second that an objective of its service level counts.",
  cases: {
    gives: {
      series: { ...promisesMost("chat", "0.999x20"), ...routeSeries("chat", { "2": "0+54x20", "5": "0+6x20" }) },
      at: "15m",
      samples: { [objectiveSeries(OBJECTIVE.all, "chat", "availability")]: 1 },
    },
  },
};

/** Hourly means: a month of the rates would be 86,400 samples per query. */
const HOURLY = { bad: "inference:level_bad:avg1h", all: "inference:level_all:avg1h" } as const;

const hourly = (of: keyof typeof HOURLY): RecordingRule => ({
  record: HOURLY[of],
  expr: `avg_over_time(${OBJECTIVE[of]}[1h])`,
  about: `Mean of ${OBJECTIVE[of]} over the last hour.`,
  cases: {
    gives: {
      series: { ...promisesMost("chat", "0.999x90"), ...routeSeries("chat", { "2": "0+54x90", "5": "0+6x90" }) },
      at: "80m",
      samples: { [objectiveSeries(HOURLY[of], "chat", "availability")]: of === "bad" ? 0.1 : 1 },
    },
  },
});

const overMonth = (series: string) => `avg_over_time(${series}[30d:1h])`;

const left: RecordingRule = {
  record: OBJECTIVE.left,
  expr: `1 - ${overMonth(HOURLY.bad)} / (${overMonth(HOURLY.all)} > 0) / on (${BY}) (1 - ${OBJECTIVE.promised})`,
  about:
    "Share of an objective's error budget that is left over 30 days, or the retention if shorter. 1: all. 0: none. Negative: broken.",
  cases: {
    // A quarter, where half is allowed.
    gives: {
      series: { ...promisesMost("chat", "0.5x300"), ...routeSeries("chat", { "2": "0+45x300", "5": "0+15x300" }) },
      at: "290m",
      samples: { [objectiveSeries(OBJECTIVE.left, "chat", "availability")]: 0.5 },
    },
  },
};

/** A window has one value per evaluation. */
function share(window: PrometheusDuration): string {
  return `avg_over_time(${OBJECTIVE.bad}[${window}]) / (avg_over_time(${OBJECTIVE.all}[${window}]) > 0)`;
}

/** Evaluations in 5 minutes, over an hour: Prometheus may have just started. */
const EVALUATIONS = `max_over_time(count_over_time(${OBJECTIVE.promised}[5m])[1h:1m])`;

/** Sum of the rates of the model's evaluations. */
function count(window: PrometheusDuration): string {
  return `sum_over_time(${OBJECTIVE.bad}[${window}]) * 300 / on (${BY}) ${EVALUATIONS}`;
}

interface Burn {
  readonly long: PrometheusDuration;
  readonly short: PrometheusDuration;
  /** Times the even use of 30 days. */
  readonly rate: number;
}

/** Below 96.5 % a burn rate of 14.4 exceeds all requests: half is enough. */
const MOST = 0.5;

/** The short window ends the alert soon after its cause. */
function burns({ long, short, rate }: Burn): string {
  const limit = `clamp_max(${rate} * (1 - ${OBJECTIVE.promised}), ${MOST})`;
  const over = (window: PrometheusDuration) => `${share(window)} > on (${BY}) ${limit}`;
  return `(${over(long)} and on (${BY}) (${over(short)}) and on (${BY}) ${count(long)} >= ${LEAST_ERRORS})`;
}

const PAGES: readonly Burn[] = [
  { long: "1h", short: "5m", rate: BURN_RATES.hour },
  { long: "6h", short: "30m", rate: BURN_RATES.sixHours },
];
const TICKET: Burn = { long: "3d", short: "6h", rate: 1 };

const OF_CHAT = { namespace: "model-chat", model: "chat", objective: "availability" };

/** For cases: late ones of 60 requests a minute. */
function lateSeries(model: string, objective: number, late: number): InputSeries {
  return {
    [objectiveSeries(OBJECTIVE.promised, model, "first_token")]: `${objective}x90`,
    [objectiveSeries(OBJECTIVE.bad, model, "first_token")]: `${late / 60}x90`,
    [objectiveSeries(OBJECTIVE.all, model, "first_token")]: "1x90",
  };
}

const burnsFast: AlertRule = {
  alert: "ErrorBudgetBurnsFast",
  // A stop fails requests until it is recorded, and those stay in the windows.
  expr: `(${PAGES.map(burns).join(" or ")}) unless on (namespace, model) ${ASLEEP}`,
  for: "1m",
  severity: "critical",
  summary:
    "{{ $labels.model }} breaks its objective ({{ $labels.objective }}) for {{ $value | humanizePercentage }} of its requests",
  description:
    "Requests for {{ $labels.model }} break the objective {{ $labels.objective }} too often: 2 % of its 30-day error budget went in an hour, or 5 % in six. For availability, the access log names the reason. For times, compare traffic and replicas with the plan.",
  cases: {
    // 2 of 100, where one in a thousand may fail.
    fires: {
      series: { ...promisesMost("chat", "0.999x90"), ...routeSeries("chat", { "2": "0+98x90", "5": "0x20 0+2x70" }) },
      at: "70m",
      labels: OF_CHAT,
    },
    // An outage that is over; 3 failures; 1 of 200; 25 late of 60, 6 allowed; a model that woke.
    quiet: {
      series: {
        ...promisesMost("chat", "0.999x90"),
        ...routeSeries("chat", { "2": "0+90x90", "5": "0+10x20 200x70" }),
        ...promisesMost("rare", "0.999x90"),
        ...routeSeries("rare", { "2": "0+1x90", "5": "0x50 0+1x3 3x40" }),
        ...promisesMost("steady", "0.999x90"),
        ...routeSeries("steady", { "2": "0+199x90", "5": "0+1x90" }),
        ...lateSeries("slow", 0.9, 25),
        [objectiveSeries(OBJECTIVE.promised, "woke", "first_token")]: "0.999x90",
        [objectiveSeries(OBJECTIVE.bad, "woke", "first_token")]: "_x40 0.02x4 _x23 0.015x20",
        [objectiveSeries(OBJECTIVE.all, "woke", "first_token")]: "_x40 0.02x4 _x23 0.015x20",
      },
      at: "70m",
    },
  },
};

const burnsSlowly: AlertRule = {
  alert: "ErrorBudgetBurnsSlowly",
  expr: burns(TICKET),
  for: "15m",
  severity: "warning",
  summary:
    "{{ $labels.model }} breaks its objective ({{ $labels.objective }}) for {{ $value | humanizePercentage }} of its requests, more than its service level allows",
  description:
    "Requests for {{ $labels.model }} have broken the objective {{ $labels.objective }} too often for three days: 10 % of its 30-day error budget is used. Investigate in working hours.",
  cases: {
    // 2 of 1,000.
    fires: {
      series: { ...promisesMost("chat", "0.999x90"), ...routeSeries("chat", { "2": "0+998x90", "5": "0+2x90" }) },
      at: "60m",
      labels: OF_CHAT,
    },
    // 1 of 2,000; one in twelve late, one in ten allowed.
    quiet: {
      series: {
        ...promisesMost("chat", "0.999x90"),
        ...routeSeries("chat", { "2": "0+1999x90", "5": "0+1x90" }),
        ...lateSeries("slow", 0.9, 5),
      },
      at: "60m",
    },
  },
};

export const objectives: RuleSubject = {
  subject: "objectives",
  recording: [bad, all, hourly("bad"), hourly("all"), left],
  alerts: [burnsFast, burnsSlowly],
};
