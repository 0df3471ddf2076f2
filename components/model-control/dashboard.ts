import type { DashboardSpec } from "../observability/dashboards/spec";
import { inferencePanels } from "./inference-panels";

/** Empty if the API is off. */
export const modelControlDashboard: DashboardSpec = {
  uid: "inference-model-control",
  title: "Model control",
  description: "Tasks of the model control API, asynchronous inference, and memory and disk of its workers.",
  variables: [{ name: "worker", metric: "model_control_worker_memory_budget_bytes", label: "worker" }],
  rows: [
    {
      title: "Tasks",
      panels: [
        {
          title: "Unfinished",
          description: "Some waiting and none running for 10 minutes: the alert ModelControlTasksStalled fires.",
          alerts: ["ModelControlTasksStalled"],
          unit: "short",
          queries: [{ expr: "max by (state) (model_control_tasks)", legend: "{{state}}" }],
        },
        {
          title: "Ended in the last hour",
          description: "Three failed ones of a kind, but for inference: the alert ModelControlTasksFailing fires.",
          alerts: ["ModelControlTasksFailing"],
          unit: "short",
          queries: [
            {
              expr: "sum by (kind, outcome) (increase(model_control_tasks_finished_total[1h]))",
              legend: "{{kind}} {{outcome}}",
            },
          ],
        },
        {
          title: "Time to the end, p95",
          description: "Waiting included. Pulls take what the registry's link takes.",
          unit: "s",
          queries: [
            {
              expr: "histogram_quantile(0.95, sum by (kind, le) (rate(model_control_task_duration_seconds_bucket[1h])))",
              legend: "{{kind}}",
            },
          ],
        },
        {
          title: "Tries that failed",
          description: "They are made again by themselves; many mean a slow registry or an engine that comes and goes.",
          unit: "short",
          queries: [
            { expr: "sum by (kind) (increase(model_control_task_attempts_failed_total[1h]))", legend: "{{kind}}" },
          ],
        },
      ],
    },
    inferencePanels,
    {
      title: "Workers",
      panels: [
        {
          title: "State",
          description: "Unreachable for 15 minutes: the alert ModelControlWorkerUnreachable fires.",
          alerts: ["ModelControlWorkerUnreachable"],
          unit: "short",
          queries: [
            {
              expr: 'max by (worker, state) (model_control_worker_state{worker=~"$worker"}) == 1',
              legend: "{{worker}} {{state}}",
            },
          ],
        },
        {
          title: "Memory in use",
          description:
            "Share of what the plan grants. Near 1, loading a model unloads the one that was used least recently.",
          unit: "percentunit",
          max: 1,
          queries: [
            {
              expr: 'max by (worker) (model_control_worker_memory_used_bytes{worker=~"$worker"}) / max by (worker) (model_control_worker_memory_budget_bytes{worker=~"$worker"})',
              legend: "{{worker}}",
            },
          ],
        },
        {
          title: "Disk in use",
          description: "Near 1, a pull deletes the models that were used least recently; pinned ones stay.",
          unit: "percentunit",
          max: 1,
          queries: [
            {
              expr: 'max by (worker) (model_control_worker_disk_used_bytes{worker=~"$worker"}) / max by (worker) (model_control_worker_disk_budget_bytes{worker=~"$worker"})',
              legend: "{{worker}}",
            },
          ],
        },
      ],
    },
    {
      title: "API",
      panels: [
        {
          title: "Requests",
          description:
            "By class of answer. 401 and 403: wrong or too weak tokens; 503: the queue or an engine is away.",
          unit: "reqps",
          queries: [
            {
              expr: "sum by (status) (rate(model_control_http_request_duration_seconds_count[$__rate_interval]))",
              legend: "{{status}}",
            },
          ],
        },
        {
          title: "Time to answer, p95",
          description: "Long work is a task: above a second, an engine or the queue is slow.",
          unit: "s",
          queries: [
            {
              expr: "histogram_quantile(0.95, sum by (route, le) (rate(model_control_http_request_duration_seconds_bucket[$__rate_interval])))",
              legend: "{{route}}",
            },
          ],
        },
      ],
    },
  ],
};
