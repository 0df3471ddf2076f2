/** Requests that fail where nobody refuses them on purpose: of a model, and of what a service level promises. */
import { modelNamespaceName } from "../../../names/namespaces";
import { ASLEEP, dueSeries, errorRecordings, MODEL_ANSWERS, MODEL_ERRORS, routeSeries } from "./error-series";
import type { AlertRule, PrometheusDuration, RecordingRule, RuleSubject } from "./types";

/** Part of the requests that a service level promises to answer without an error, by `namespace` and `model`. */
export const AVAILABILITY = "inference:level_availability:ratio";

/** The series of a model that promises an availability. */
export function availabilitySeries(model: string, availability: number): RecordingRule {
  const labels = { namespace: modelNamespaceName(model), model };
  return {
    record: AVAILABILITY,
    expr: `vector(${availability})`,
    labels,
    about:
      "Part of a model's requests that its service level promises to answer without an error of the server, over 30 days.",
    cases: {
      gives: {
        series: {},
        at: "5m",
        samples: { [`${AVAILABILITY}{namespace="${labels.namespace}",model="${model}"}`]: availability },
      },
    },
  };
}

/** Errors of a window below which nobody is told: few failures of few requests are a large share of them. */
const LEAST_ERRORS = 10;

const OF_CHAT = { namespace: "model-chat", model: "chat" };

const failing: AlertRule = {
  alert: "ModelRequestsFailing",
  expr: `${MODEL_ERRORS} / ${MODEL_ANSWERS} > 0.25 and ${MODEL_ERRORS} * 300 >= ${LEAST_ERRORS}`,
  // Longer than it takes until what somebody stops is known to be asleep.
  for: "2m",
  severity: "critical",
  summary: "{{ $value | humanizePercentage }} of the requests for {{ $labels.model }} fail",
  description:
    "More than a quarter of the requests for {{ $labels.model }} of the last 5 minutes, and at least 10, were answered 5xx, whatever the traffic of other models. Neither a model that sleeps nor refused free consumers count. The access log names the reason.",
  cases: {
    // The only errors of one answer in 25 of the gateway.
    fires: {
      series: { ...routeSeries("chat", { "5": "0x5 0+3x40" }), ...routeSeries("other", { "2": "0+60x45" }) },
      at: "15m",
      labels: OF_CHAT,
    },
    quiet: {
      series: {
        // Seven failures; refusals of quotas; one that sleeps, and a client that tries again; one that wakes, and answers.
        ...routeSeries("chat", { "5": "0x5 7x40" }),
        ...routeSeries("other", { "4": "0+60x45" }),
        ...routeSeries("asleep", { "5": "0+6x45" }),
        ...dueSeries("asleep", "0x45"),
      },
      at: "15m",
    },
  },
};

/** Failed share of a model's requests over a window; a window has one value for each time that rules are evaluated. */
function share(window: PrometheusDuration): string {
  return `avg_over_time(${MODEL_ERRORS}[${window}]) / (avg_over_time(${MODEL_ANSWERS}[${window}]) > 0)`;
}

/** Errors of a window: a rate for each time that rules are evaluated, of which 5 minutes say how long it is. */
function count(window: PrometheusDuration): string {
  return `sum_over_time(${MODEL_ERRORS}[${window}]) * 300 / count_over_time(${MODEL_ERRORS}[5m])`;
}

interface Burn {
  readonly long: PrometheusDuration;
  readonly short: PrometheusDuration;
  /** Of the error budget of 30 days, how many times what spends it evenly. */
  readonly rate: number;
}

/** Both windows burn: the short one ends the alert soon after the errors end. */
function burns({ long, short, rate }: Burn): string {
  const budget = `${rate} * (1 - ${AVAILABILITY})`;
  const over = (window: PrometheusDuration) => `${share(window)} > on (namespace, model) ${budget}`;
  return `(${over(long)} and on (namespace, model) (${over(short)}) and on (namespace, model) ${count(long)} >= ${LEAST_ERRORS})`;
}

/** Windows and rates: Google's Site Reliability Workbook, chapter 5, table of recommended parameters. */
const PAGES: readonly Burn[] = [
  { long: "1h", short: "5m", rate: 14.4 },
  { long: "6h", short: "30m", rate: 6 },
];
const TICKET: Burn = { long: "3d", short: "6h", rate: 1 };

const promised = { [`${AVAILABILITY}{namespace="model-chat",model="chat"}`]: "0.999x90" };

const burnsFast: AlertRule = {
  alert: "ErrorBudgetBurnsFast",
  // What somebody stops fails requests until that is known, and those stay in the windows.
  expr: `(${PAGES.map(burns).join(" or ")}) unless on (namespace, model) ${ASLEEP}`,
  for: "1m",
  severity: "critical",
  summary: "{{ $labels.model }} fails {{ $value | humanizePercentage }} of its requests, and uses its error budget up",
  description:
    "Requests for {{ $labels.model }} fail so often that the errors which its availability allows in 30 days are used up within days: 2 % of them in an hour, or 5 % in six. The access log names the reason.",
  cases: {
    // 2 of 100, of which one in a thousand may fail.
    fires: {
      series: { ...promised, ...routeSeries("chat", { "2": "0+98x90", "5": "0x20 0+2x70" }) },
      at: "70m",
      labels: OF_CHAT,
    },
    // A tenth of the requests of 20 minutes, which is over; 3 failures in all; 1 of 200.
    quiet: {
      series: {
        ...promised,
        ...routeSeries("chat", { "2": "0+90x90", "5": "0+10x20 200x70" }),
        [`${AVAILABILITY}{namespace="model-rare",model="rare"}`]: "0.999x90",
        ...routeSeries("rare", { "2": "0+1x90", "5": "0x50 0+1x3 3x40" }),
        [`${AVAILABILITY}{namespace="model-steady",model="steady"}`]: "0.999x90",
        ...routeSeries("steady", { "2": "0+199x90", "5": "0+1x90" }),
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
    "{{ $labels.model }} fails {{ $value | humanizePercentage }} of its requests, more than its service level allows",
  description:
    "For three days more requests for {{ $labels.model }} have failed than its availability allows: 10 % of the errors of 30 days are used up. Look at the access log in working hours.",
  cases: {
    // 2 of 1,000.
    fires: {
      series: { ...promised, ...routeSeries("chat", { "2": "0+998x90", "5": "0+2x90" }) },
      at: "60m",
      labels: OF_CHAT,
    },
    // 1 of 2,000.
    quiet: {
      series: { ...promised, ...routeSeries("chat", { "2": "0+1999x90", "5": "0+1x90" }) },
      at: "60m",
    },
  },
};

export const errors: RuleSubject = {
  subject: "errors",
  recording: errorRecordings,
  alerts: [failing, burnsFast, burnsSlowly],
};
