import type { RowSpec } from "../observability/dashboards/spec";

/** Asynchronous inference; empty if off. */
export const inferencePanels: RowSpec = {
  title: "Asynchronous inference",
  panels: [
    {
      title: "Unfinished tasks",
      description: "Waiting for others, or for their model to come; running: an answer is being written.",
      unit: "short",
      queries: [{ expr: "max by (state) (model_control_inference_tasks)", legend: "{{state}}" }],
    },
    {
      title: "Oldest that waits",
      description:
        "Since its request. Above half an hour for five minutes: the alert ModelControlInferenceWaiting fires.",
      alerts: ["ModelControlInferenceWaiting"],
      unit: "s",
      queries: [{ expr: "max(model_control_inference_oldest_waiting_seconds)", legend: "oldest" }],
    },
    {
      title: "Prompts that ended",
      description:
        "By the reason that the answer ended. A fifth of error, idle and interrupted: the alert ModelControlInferenceFailing fires.",
      alerts: ["ModelControlInferenceFailing"],
      unit: "short",
      queries: [
        {
          expr: "sum by (model, outcome) (increase(model_control_inference_answers_total[$__rate_interval]))",
          legend: "{{model}} {{outcome}}",
        },
      ],
    },
    {
      title: "Requests",
      description:
        "By answer: 202 accepted, 429 a caller at its limit. 503, the queue is full or away: the alert ModelControlInferenceRefusing fires.",
      alerts: ["ModelControlInferenceRefusing"],
      unit: "reqps",
      queries: [
        {
          expr: 'sum by (status) (rate(model_control_http_request_duration_seconds_count{route="/inference",method="POST"}[$__rate_interval]))',
          legend: "{{status}}",
        },
      ],
    },
    {
      title: "Tokens",
      description: "Of prompts (in) and of answers (out), as the engines count them.",
      unit: "short",
      queries: [
        {
          expr: "sum by (model, direction) (rate(model_control_inference_tokens_total[$__rate_interval]))",
          legend: "{{model}} {{direction}} per second",
        },
      ],
    },
    {
      title: "Wait and answer, p95",
      description: "From the request to the engine, where a cold start counts; and from there to the answer's end.",
      unit: "s",
      queries: [
        {
          expr: "histogram_quantile(0.95, sum by (model, le) (rate(model_control_inference_waiting_seconds_bucket[15m])))",
          legend: "{{model}} waits",
        },
        {
          expr: "histogram_quantile(0.95, sum by (model, le) (rate(model_control_inference_answering_seconds_bucket[15m])))",
          legend: "{{model}} answers",
        },
      ],
    },
  ],
};
