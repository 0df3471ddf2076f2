import type { AlertRule } from "../observability/rules/types";

/** Without asynchronous inference there are no series, so none fires. */

const waitingTooLong: AlertRule = {
  alert: "ModelControlInferenceWaiting",
  // Every replica reports the whole queue.
  expr: "max by (namespace) (model_control_inference_oldest_waiting_seconds) > 1800",
  for: "5m",
  severity: "warning",
  summary: "An inference task has waited for {{ $value | humanizeDuration }}",
  description:
    "The callers have no answer and no error yet. More is asked for than the workers answer, or a model does not come; a task that waits longer than it is kept is forgotten.",
  cases: {
    fires: {
      series: {
        'model_control_inference_oldest_waiting_seconds{namespace="model-control",pod="api-0"}': "0+60x60",
        'model_control_inference_oldest_waiting_seconds{namespace="model-control",pod="api-1"}': "0+60x60",
      },
      at: "40m",
      labels: { namespace: "model-control" },
    },
    // Occasional long waits, never for five minutes.
    quiet: {
      series: {
        'model_control_inference_oldest_waiting_seconds{namespace="model-control",pod="api-0"}': "1700+30x5 0x60",
      },
      at: "5m",
    },
  },
};

/** Failed or broken answers, and all uncancelled ones, within half an hour. */
const FAILED =
  'sum by (namespace, model) (increase(model_control_inference_answers_total{outcome=~"error|idle|interrupted"}[30m]))';
const ENDED = 'sum by (namespace, model) (increase(model_control_inference_answers_total{outcome!="cancelled"}[30m]))';

const answersFailing: AlertRule = {
  alert: "ModelControlInferenceFailing",
  // One caller's few oversized prompts are not a platform fault.
  expr: `
    ${FAILED} / (${ENDED} > 0) > 0.2
    and ${FAILED} >= 5`,
  for: "5m",
  severity: "warning",
  summary:
    "{{ $value | humanizePercentage }} of the prompts{{ with $labels.model }} for {{ . }}{{ end }} had no whole answer in half an hour",
  description:
    "Each was put to an engine as often as allowed, or broke off after its first token. GET /inference/{id} says why, to those who asked; without a model in the title, no worker was ready for it.",
  cases: {
    fires: {
      series: {
        'model_control_inference_answers_total{namespace="model-control",model="chat",outcome="error"}': "0+1x60",
        'model_control_inference_answers_total{namespace="model-control",model="chat",outcome="stop"}': "0+2x60",
      },
      at: "40m",
      labels: { namespace: "model-control", model: "chat" },
    },
    // Cancellations are no failures, truncated answers count as answers, and few failures are
    // tolerated.
    quiet: {
      series: {
        'model_control_inference_answers_total{namespace="model-control",model="chat",outcome="error"}': "0+1x4 4x56",
        'model_control_inference_answers_total{namespace="model-control",model="chat",outcome="cancelled"}': "0+9x60",
        'model_control_inference_answers_total{namespace="model-control",model="chat",outcome="length"}': "0+1x60",
        'model_control_inference_answers_total{namespace="model-control",model="busy",outcome="idle"}': "0+1x60",
        'model_control_inference_answers_total{namespace="model-control",model="busy",outcome="stop"}': "0+9x60",
      },
      at: "20m",
    },
  },
};

const ASKED = 'route="/inference",method="POST"';

const refusing: AlertRule = {
  alert: "ModelControlInferenceRefusing",
  // 503: no room for tasks or prompts, or no queue. 429 is a caller's own limit, not a fault.
  expr: `sum by (namespace) (increase(model_control_http_request_duration_seconds_count{${ASKED},status="503"}[15m])) >= 5`,
  for: "5m",
  severity: "warning",
  summary: "{{ $value | humanize }} requests for asynchronous inference were refused in a quarter of an hour",
  description:
    "Their callers received 503: as many tasks are unfinished as all callers together may have, Valkey has no room for more prompts, or it is away. What was accepted goes on.",
  cases: {
    fires: {
      series: {
        [`model_control_http_request_duration_seconds_count{namespace="model-control",pod="api-0",${ASKED},status="503"}`]:
          "0+1x40",
      },
      at: "30m",
      labels: { namespace: "model-control" },
    },
    quiet: {
      series: {
        [`model_control_http_request_duration_seconds_count{namespace="model-control",pod="api-0",${ASKED},status="503"}`]:
          "0x10 3x30",
        [`model_control_http_request_duration_seconds_count{namespace="model-control",pod="api-0",${ASKED},status="429"}`]:
          "0+9x40",
        [`model_control_http_request_duration_seconds_count{namespace="model-control",pod="api-0",${ASKED},status="202"}`]:
          "0+9x40",
        'model_control_http_request_duration_seconds_count{namespace="model-control",pod="api-0",route="/models/pull",method="POST",status="503"}':
          "0+9x40",
      },
      at: "30m",
    },
  },
};

export const inferenceAlerts: readonly AlertRule[] = [waitingTooLong, answersFailing, refusing];
