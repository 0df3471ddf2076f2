/**
 * What service levels promise, as objectives: a share of a model's requests that is answered without an error, or within a time. One set of
 * rules for all of them, by the label `objective`. Windows and rates: Google's Site Reliability Workbook, chapter 5.
 */

import { modelNamespaceName } from "../../../names/namespaces";
import { ASLEEP, MODEL_ANSWERS, MODEL_ERRORS, routeSeries } from "./error-series";
import { LEAST_ERRORS } from "./errors";
import { BURN_RATES } from "./limits";
import type { AlertRule, InputSeries, PrometheusDuration, RecordingRule, RuleSubject } from "./types";

/** Requests without an error of the server, first tokens in time, answers whose further tokens came in time. */
export type ObjectiveName = "availability" | "first_token" | "token";

/** Series by `namespace`, `model` and `objective`. */
export const OBJECTIVE = {
  promised: "inference:level_objective:ratio",
  bad: "inference:level_bad:rate5m",
  all: "inference:level_all:rate5m",
  left: "inference:error_budget_left:ratio",
} as const;

const BY = "namespace, model, objective";

/** For cases, and for what a plan records: one series of a model. */
export function objectiveSeries(series: string, model: string, objective: ObjectiveName): string {
  return `${series}{namespace="${modelNamespaceName(model)}",model="${model}",objective="${objective}"}`;
}

const IS_AVAILABILITY = `${OBJECTIVE.promised}{objective="availability"}`;
/** Of models that promise an availability; the label comes from the rule. */
const promised = (rate: string) => `${rate} and on (namespace, model) ${IS_AVAILABILITY}`;

const promisesMost = (model: string, samples: string): InputSeries => ({
  [objectiveSeries(OBJECTIVE.promised, model, "availability")]: samples,
});

const bad: RecordingRule = {
  record: OBJECTIVE.bad,
  // A model that never failed has no series of errors.
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

/** Means of an hour: what a month is added up of, for a month of the rates themselves is 86,400 samples each time. */
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
    "What is left of the bad requests that an objective allows in the last 30 days, or in as many as are kept: 1 all, 0 none, negative: broken.",
  cases: {
    // A quarter, where half is allowed.
    gives: {
      series: { ...promisesMost("chat", "0.5x300"), ...routeSeries("chat", { "2": "0+45x300", "5": "0+15x300" }) },
      at: "290m",
      samples: { [objectiveSeries(OBJECTIVE.left, "chat", "availability")]: 0.5 },
    },
  },
};

/** Bad share of a window; a window has one value for each time that rules are evaluated. */
function share(window: PrometheusDuration): string {
  return `avg_over_time(${OBJECTIVE.bad}[${window}]) / (avg_over_time(${OBJECTIVE.all}[${window}]) > 0)`;
}

/** How often rules are evaluated in 5 minutes: what is promised is recorded each time. Of an hour, as Prometheus may have started a minute ago. */
const EVALUATIONS = `max_over_time(count_over_time(${OBJECTIVE.promised}[5m])[1h:1m])`;

/** Bad requests of a window: a rate for each evaluation in which the model had one. */
function count(window: PrometheusDuration): string {
  return `sum_over_time(${OBJECTIVE.bad}[${window}]) * 300 / on (${BY}) ${EVALUATIONS}`;
}

interface Burn {
  readonly long: PrometheusDuration;
  readonly short: PrometheusDuration;
  /** Of the error budget of 30 days, how many times what spends it evenly. */
  readonly rate: number;
}

/** An objective of less than 96.5 % allows no share of 14.4 times as much, or one that is never reached: half of the requests are enough. */
const MOST = 0.5;

/** Both windows burn: the short one ends the alert soon after the cause ends. */
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

/** For cases: an objective of times, and of 60 requests a minute so many that are late. */
function lateSeries(model: string, objective: number, late: number): InputSeries {
  return {
    [objectiveSeries(OBJECTIVE.promised, model, "first_token")]: `${objective}x90`,
    [objectiveSeries(OBJECTIVE.bad, model, "first_token")]: `${late / 60}x90`,
    [objectiveSeries(OBJECTIVE.all, model, "first_token")]: "1x90",
  };
}

const burnsFast: AlertRule = {
  alert: "ErrorBudgetBurnsFast",
  // What somebody stops fails requests until that is known, and those stay in the windows.
  expr: `(${PAGES.map(burns).join(" or ")}) unless on (namespace, model) ${ASLEEP}`,
  for: "1m",
  severity: "critical",
  summary:
    "{{ $labels.model }} breaks its objective ({{ $labels.objective }}) for {{ $value | humanizePercentage }} of its requests",
  description:
    "Requests for {{ $labels.model }} break the objective {{ $labels.objective }} of its service level so often that what it allows in 30 days is used up within days: 2 % of it in an hour, or 5 % in six. Of availability the access log names the reason; of times compare traffic and replicas with the plan.",
  cases: {
    // 2 of 100, of which one in a thousand may fail.
    fires: {
      series: { ...promisesMost("chat", "0.999x90"), ...routeSeries("chat", { "2": "0+98x90", "5": "0x20 0+2x70" }) },
      at: "70m",
      labels: OF_CHAT,
    },
    // A tenth of the requests of 20 minutes, which is over; 3 failures in all; 1 of 200; of first tokens, 25 of 60 are late and 6 may be; a model
    // that woke two minutes ago, and had 8 late first tokens in an hour.
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
    "For three days more requests for {{ $labels.model }} have broken the objective {{ $labels.objective }} than its service level allows: 10 % of what it allows in 30 days is used up. Look at it in working hours.",
  cases: {
    // 2 of 1,000.
    fires: {
      series: { ...promisesMost("chat", "0.999x90"), ...routeSeries("chat", { "2": "0+998x90", "5": "0+2x90" }) },
      at: "60m",
      labels: OF_CHAT,
    },
    // 1 of 2,000; of first tokens, one in twelve is late and one in ten may be.
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

/** Of models that promise something; nothing of the others. */
export const objectives: RuleSubject = {
  subject: "objectives",
  recording: [bad, all, hourly("bad"), hourly("all"), left],
  alerts: [burnsFast, burnsSlowly],
};
