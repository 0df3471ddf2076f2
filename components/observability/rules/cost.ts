/**
 * Cost by allocation and usage (OpenCost's terms): actual nodes at planned prices, shared by
 * claims, then by tenants' tokens. The rest has names, so that figures sum up.
 */
import { COST_SERIES, OF_NOBODY, TENANT_TOKENS_SERIES } from "../../../names/cost-series";
import { CALLED, CALLED_MODEL } from "../../../names/gateway-times";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { SIGNAL_SERIES } from "../../../names/recorded-series";
import { CONSUMER, GATEWAY_TOKENS } from "./gateway-tokens";
import { GPU_RESOURCES } from "./gpu-resources";
import { modelNamespaceSeries, ofModels } from "./models";
import type { AlertRule, InputSeries, RecordingRule, RuleSubject } from "./types";

const { planned, node, model, used, unclaimed, tenant, total } = COST_SERIES;

const GPUS_OF_NODE = `sum by (node) (kube_node_status_capacity{${GPU_RESOURCES}} > 0)`;

/** Claims of pods that have not ended. */
function claimed(resource: string): string {
  return `sum by (namespace, node) (kube_pod_container_resource_requests{${resource},node!=""} unless on (namespace, pod) (kube_pod_status_phase{phase=~"Succeeded|Failed"} == 1))`;
}

/** By GPUs where the node has some, else by memory. */
const PART = `(
  ${claimed(GPU_RESOURCES)} / on (node) group_left () ${GPUS_OF_NODE}
  or (${claimed('resource="memory"')} / on (node) group_left () sum by (node) (kube_node_status_capacity{resource="memory"})
    unless on (node) ${GPUS_OF_NODE}))`;

/** For cases: a node at 8 USD an hour, with 8 GPUs. */
const nodeSeries = (name: string, samples = "8x90"): InputSeries => ({
  [`${node}{node="${name}",pool="gpu",role="gpu"}`]: samples,
  [`kube_node_status_capacity{node="${name}",resource="nvidia_com_gpu",unit="integer"}`]: "8x90",
  [`kube_node_status_capacity{node="${name}",resource="memory",unit="byte"}`]: "1000x90",
});
const gpusSeries = (name: string, pod: string, gpus: number, on: string): InputSeries => ({
  ...modelNamespaceSeries(name, "1x90"),
  [`kube_pod_container_resource_requests{namespace="model-${name}",pod="${pod}",container="engine",node="${on}",resource="nvidia_com_gpu",unit="integer"}`]: `${gpus}x90`,
  [`kube_pod_container_resource_requests{namespace="model-${name}",pod="${pod}",container="engine",node="${on}",resource="memory",unit="byte"}`]:
    "900x90",
});
const tokensSeries = (called: string, who: string, type: string, samples: string): InputSeries => ({
  [`${GATEWAY_TOKENS}{namespace="${GATEWAY_NAMESPACE}",pod="proxy-0",${CALLED_MODEL}="${called}",${CONSUMER}="${who}",gen_ai_token_type="${type}"}`]:
    samples,
});
const calledSeries = (name: string, called: string): InputSeries => ({
  [`${CALLED}{model="${name}",${CALLED_MODEL}="${called}"}`]: "1x90",
});

const byModel: RecordingRule = {
  record: model,
  expr: `sum by (namespace, model, pool) (${ofModels(`${PART} * on (node) group_left (pool) ${node}`)})`,
  about: "What a model's pods claim of the nodes that they are on, in US dollars an hour: the allocation.",
  cases: {
    gives: {
      series: {
        ...nodeSeries("gpu-1"),
        ...gpusSeries("chat", "chat-0", 2, "gpu-1"),
        ...gpusSeries("mail", "mail-0", 4, "gpu-1"),
        ...gpusSeries("mail", "mail-old", 2, "gpu-1"),
        'kube_pod_status_phase{namespace="model-mail",pod="mail-old",phase="Failed"}': "1x90",
        // By memory.
        [`${node}{node="cpu-1",pool="cpu",role="cpu"}`]: "2x90",
        'kube_node_status_capacity{node="cpu-1",resource="memory",unit="byte"}': "1000x90",
        ...modelNamespaceSeries("embed", "1x90"),
        'kube_pod_container_resource_requests{namespace="model-embed",pod="embed-0",container="engine",node="cpu-1",resource="memory",unit="byte"}':
          "250x90",
        // One of three time slices of a card that was withdrawn.
        [`${node}{node="turns-1",pool="turns",role="gpu"}`]: "3x90",
        'kube_node_status_capacity{node="turns-1",resource="nvidia_com_gpu",unit="integer"}': "0x90",
        'kube_node_status_capacity{node="turns-1",resource="nvidia_com_gpu_shared",unit="integer"}': "3x90",
        'kube_node_status_capacity{node="turns-1",resource="memory",unit="byte"}': "1000x90",
        ...modelNamespaceSeries("draft", "1x90"),
        'kube_pod_container_resource_requests{namespace="model-draft",pod="draft-0",container="engine",node="turns-1",resource="nvidia_com_gpu_shared",unit="integer"}':
          "1x90",
        'kube_pod_container_resource_requests{namespace="model-draft",pod="draft-0",container="engine",node="turns-1",resource="memory",unit="byte"}':
          "100x90",
      },
      at: "30m",
      samples: {
        [`${model}{namespace="model-draft",model="draft",pool="turns"}`]: 1,
        [`${model}{namespace="model-chat",model="chat",pool="gpu"}`]: 2,
        [`${model}{namespace="model-mail",model="mail",pool="gpu"}`]: 4,
        [`${model}{namespace="model-embed",model="embed",pool="cpu"}`]: 0.5,
      },
    },
  },
};

const usage: RecordingRule = {
  record: used,
  expr: `sum by (namespace, model) (${model}) * on (namespace, model) (${SIGNAL_SERIES.gpuUtilization} / 100)`,
  about: "What of a model's allocation its GPUs were busy for, in US dollars an hour; of models on CPUs none.",
  cases: {
    gives: {
      series: {
        ...nodeSeries("gpu-1"),
        ...gpusSeries("chat", "chat-0", 4, "gpu-1"),
        'DCGM_FI_DEV_GPU_UTIL{instance="10.0.0.1:9400",node="gpu-1",gpu="0",modelName="H100",namespace="model-chat",pod="chat-0"}':
          "25x90",
      },
      at: "30m",
      samples: { [`${used}{namespace="model-chat",model="chat"}`]: 1 },
    },
  },
};

const rest: RecordingRule = {
  record: unclaimed,
  expr: `sum by (pool, role) (${node}) - on (pool) group_left () (sum by (pool) (${model}) or on (pool) 0 * sum by (pool) (${node}))`,
  about: "What no model claims of a pool's nodes, in US dollars an hour: idle, and of system nodes the platform's own.",
  cases: {
    gives: {
      series: {
        ...nodeSeries("gpu-1"),
        ...nodeSeries("gpu-2"),
        ...gpusSeries("chat", "chat-0", 2, "gpu-1"),
        [`${node}{node="system-1",pool="system",role="system"}`]: "0.5x90",
      },
      at: "30m",
      samples: {
        [`${unclaimed}{pool="gpu",role="gpu"}`]: 14,
        [`${unclaimed}{pool="system",role="system"}`]: 0.5,
      },
    },
  },
};

const tokens: RecordingRule = {
  record: TENANT_TOKENS_SERIES,
  // Cached and reasoning tokens are part of these.
  expr: `sum by (tenant, model) (label_replace(sum by (${CONSUMER}, ${CALLED_MODEL}) (rate(${GATEWAY_TOKENS}{namespace="${GATEWAY_NAMESPACE}",gen_ai_token_type=~"input|output"}[1h])), "tenant", "$1", "${CONSUMER}", "(.*)") * on (${CALLED_MODEL}) group_left (model) ${CALLED}) > 0`,
  about: "Tokens of prompts and answers in a second over the last hour, by tenant and model.",
  cases: {
    gives: {
      series: {
        ...calledSeries("chat", "qwen"),
        ...tokensSeries("qwen", "web", "input", "0+60x90"),
        ...tokensSeries("qwen", "web", "output", "0+120x90"),
        ...tokensSeries("qwen", "web", "cached_input", "0+60x90"),
        ...tokensSeries("qwen", "idle", "input", "90x90"),
      },
      at: "80m",
      samples: { [`${TENANT_TOKENS_SERIES}{tenant="web",model="chat"}`]: 3 },
    },
  },
};

const costOfModel = `sum by (model) (${model})`;

/** Two tenants, an unused model, an unclaimed node, the platform. */
const SHARED_OUT: InputSeries = {
  ...nodeSeries("gpu-1"),
  ...nodeSeries("gpu-2"),
  ...gpusSeries("chat", "chat-0", 8, "gpu-1"),
  ...gpusSeries("mail", "mail-0", 2, "gpu-2"),
  ...calledSeries("chat", "qwen"),
  ...tokensSeries("qwen", "web", "input", "0+180x90"),
  ...tokensSeries("qwen", "batch", "output", "0+60x90"),
  [`${node}{node="system-1",pool="system",role="system"}`]: "0.5x90",
};

const byTenant: readonly RecordingRule[] = [
  {
    record: tenant,
    expr: `${TENANT_TOKENS_SERIES} / on (model) group_left () sum by (model) (${TENANT_TOKENS_SERIES}) * on (model) group_left () ${costOfModel}`,
    about: "A tenant's part of a model's cost by its tokens of the last hour, in US dollars an hour.",
    cases: {
      gives: {
        series: SHARED_OUT,
        at: "80m",
        samples: {
          [`${tenant}{tenant="web",model="chat"}`]: 6,
          [`${tenant}{tenant="batch",model="chat"}`]: 2,
          [`${tenant}{tenant="${OF_NOBODY.unallocated}",model="mail"}`]: 2,
          [`${tenant}{tenant="${OF_NOBODY.idle}",pool="gpu"}`]: 6,
          [`${tenant}{tenant="${OF_NOBODY.shared}"}`]: 0.5,
        },
      },
    },
  },
  {
    record: tenant,
    labels: { tenant: OF_NOBODY.unallocated },
    expr: `${costOfModel} unless on (model) sum by (model) (${TENANT_TOKENS_SERIES})`,
    about: "Cost of models in an hour in which no tenant used a token of them, or that count none.",
    cases: {
      gives: {
        series: SHARED_OUT,
        at: "80m",
        samples: { [`${tenant}{tenant="${OF_NOBODY.unallocated}",model="mail"}`]: 2 },
      },
    },
  },
  {
    record: tenant,
    labels: { tenant: OF_NOBODY.idle },
    expr: `sum by (pool) (${unclaimed}{role!="system"})`,
    about: "What no model claims of the nodes of models, in US dollars an hour.",
    cases: {
      gives: { series: SHARED_OUT, at: "80m", samples: { [`${tenant}{tenant="${OF_NOBODY.idle}",pool="gpu"}`]: 6 } },
    },
  },
  {
    record: tenant,
    labels: { tenant: OF_NOBODY.shared },
    expr: `sum(${unclaimed}{role="system"} or ${planned}{pool="${OF_NOBODY.shared}"})`,
    about: "The platform's own nodes, and what is billed in addition to machines as planned, in US dollars an hour.",
    cases: {
      gives: { series: SHARED_OUT, at: "80m", samples: { [`${tenant}{tenant="${OF_NOBODY.shared}"}`]: 0.5 } },
    },
  },
];

const whole: RecordingRule = {
  record: total,
  expr: `sum(${node} or ${planned}{pool="${OF_NOBODY.shared}"})`,
  about:
    "What the environment costs, in US dollars an hour: nodes that are there, and what is billed in addition to machines as planned.",
  cases: { gives: { series: SHARED_OUT, at: "80m", samples: { [`${total}{}`]: 16.5 } } },
};

/** Autoscaling drifts from any plan by less. */
const DRIFT = 0.1;
const MEAN = `avg_over_time(${total}[7d])`;

const drifts: AlertRule = {
  alert: "CostDriftsFromPlan",
  // A week contains every schedule once.
  expr: `(${MEAN} / on () sum(${planned}) - 1 > ${DRIFT} or ${MEAN} / on () sum(${planned}) - 1 < -${DRIFT}) and on () ${total} offset 6d`,
  for: "1h",
  severity: "warning",
  summary: "The last seven days cost {{ $value | humanizePercentage }} more (or less) than planned",
  description:
    "Over seven days, nodes cost at least a tenth more, or less, than an average month of the plan. npm run cost names the pools, models and reasons.",
  cases: {
    fires: {
      series: { [`${node}{node="gpu-1",pool="gpu",role="gpu"}`]: "120x12000", [`${planned}{pool="gpu"}`]: "100x12000" },
      at: "180h",
      labels: {},
    },
    quiet: {
      series: { [`${node}{node="gpu-1",pool="gpu",role="gpu"}`]: "105x12000", [`${planned}{pool="gpu"}`]: "100x12000" },
      at: "180h",
    },
  },
};

export const cost: RuleSubject = {
  subject: "cost",
  recording: [byModel, usage, rest, tokens, ...byTenant, whole],
  alerts: [drifts],
};
