/** Failed requests by model, without intended refusals. Error budgets: `objectives.ts`. */
import { dueSeries, errorRecordings, MODEL_ANSWERS, MODEL_ERRORS, routeSeries } from "./error-series";
import type { AlertRule, RuleSubject } from "./types";

/** Few failures of few requests are a large share. */
export const LEAST_ERRORS = 10;

const OF_CHAT = { namespace: "model-chat", model: "chat" };

const failing: AlertRule = {
  alert: "ModelRequestsFailing",
  expr: `${MODEL_ERRORS} / ${MODEL_ANSWERS} > 0.25 and ${MODEL_ERRORS} * 300 >= ${LEAST_ERRORS}`,
  // Longer than a stop takes to be recorded as sleep.
  for: "2m",
  severity: "critical",
  summary: "{{ $value | humanizePercentage }} of the requests for {{ $labels.model }} fail",
  description:
    "More than a quarter of the requests for {{ $labels.model }} of the last 5 minutes, and at least 10, were answered 5xx. Requests to sleeping models and refused free consumers do not count. The access log names the reason.",
  cases: {
    // The only errors of one answer in 25 of the gateway.
    fires: {
      series: { ...routeSeries("chat", { "5": "0x5 0+3x40" }), ...routeSeries("other", { "2": "0+60x45" }) },
      at: "15m",
      labels: OF_CHAT,
    },
    quiet: {
      series: {
        // Seven failures; refusals of quotas; one sleeps and is retried; one wakes and answers.
        ...routeSeries("chat", { "5": "0x5 7x40" }),
        ...routeSeries("other", { "4": "0+60x45" }),
        ...routeSeries("asleep", { "5": "0+6x45" }),
        ...dueSeries("asleep", "0x45"),
      },
      at: "15m",
    },
  },
};

export const errors: RuleSubject = {
  subject: "errors",
  recording: errorRecordings,
  alerts: [failing],
};
