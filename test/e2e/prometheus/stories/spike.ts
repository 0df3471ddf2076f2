/**
 * Three times the traffic for 50 minutes, in which the GPU of one of two replicas falls off the bus: what people are told, minute by minute, and
 * what errors and machines cost. Figures are added up by hand, in comments.
 */

import { clientSeries, routeSeries } from "../../../../components/observability/rules/error-series";
import { podSeries } from "../../../../components/observability/rules/models";
import { OBJECTIVE, objectiveSeries } from "../../../../components/observability/rules/objectives";
import { plannedCost } from "../../../../components/observability/rules/planned-cost";
import type { InputSeries, RuleSubject } from "../../../../components/observability/rules/types";
import { COST_SERIES, OF_NOBODY } from "../../../../names/cost-series";
import type { PromtoolFiles } from "../promtool-files";
import { inputs, type PromtoolTest, TOLD, testFile } from "./files";
import { counter, gauge } from "./samples";
import * as world from "./world";

/** Minutes: until traffic grows, a replica dies, its node is replaced, another replica answers, traffic is as before, and of all. */
const SPIKE = 400;
const DIES = 411;
const NODE = 415;
const BACK = 440;
const CALM = 450;
const END = 520;

const since = (from: number, before: number | "_", after: number) => gauge([from, before], [END - from, after]);
const always = (value: number) => gauge([END, value]);

/** 60 requests a minute, then 180; a third of these fails while one replica is alone. */
const answered = counter([SPIKE, 60], [DIES - SPIKE, 180], [BACK - DIES, 120], [CALM - BACK, 180], [END - CALM, 60]);
const failed = counter([DIES, 0], [BACK - DIES, 60], [END - BACK, 0]);
/** With those of `small`. */
const clients = counter([SPIKE, 63], [DIES - SPIKE, 183], [BACK - DIES, 123], [CALM - BACK, 183], [END - CALM, 63]);

/** From then on more wait with each minute, until the other replica is back; and first tokens take more than five seconds. */
const FULL = SPIKE + 2;
const SLOW = SPIKE + 9;

/** What an engine reports until it dies, or to the end. */
function engine(pod: string, dies?: number): InputSeries {
  const of = `namespace="model-chat",pod="${pod}",model="chat",model_name="chat",engine="0"`;
  const fills = (dies ?? BACK) - FULL;
  const rest = (value: number) => (dies === undefined ? gauge([END - BACK, value]) : "stale");
  return {
    [`vllm:num_requests_running{${of}}`]: `${gauge([dies ?? END, 16])} ${dies === undefined ? "" : "stale"}`,
    [`vllm:num_requests_waiting{${of}}`]: `${gauge([FULL, 0])} 1+2x${fills - 1} ${rest(0)}`,
    [`vllm:kv_cache_usage_perc{${of}}`]: `${gauge([FULL + 1, 0.5], [fills - 1, 0.97])} ${rest(0.5)}`,
    [`vllm:generation_tokens_total{${of}}`]: `${counter([dies ?? END, 900])} ${dies === undefined ? "" : "stale"}`,
  };
}

function firstTokens(): InputSeries {
  const bucket = (le: string) =>
    `vllm:time_to_first_token_seconds_bucket{namespace="model-chat",pod="chat-0",model="chat",model_name="chat",engine="0",le="${le}"}`;
  const all = counter([END, 60]);
  return {
    [bucket("5.0")]: counter([SLOW, 60], [BACK - SLOW, 0], [END - BACK, 60]),
    [bucket("7.5")]: all,
    [bucket("+Inf")]: all,
  };
}

const gpu = (holder: string) =>
  `DCGM_FI_DEV_XID_ERRORS{instance="10.0.0.1:9400",node="gpu-1",gpu="1",modelName="H100"${holder}}`;
const request = (model: string, pod: string, node: string) =>
  `kube_pod_container_resource_requests{namespace="model-${model}",pod="${pod}",container="engine",node="${node}",resource="nvidia_com_gpu",unit="integer"}`;
const inPool = (node: string, pool: string) =>
  `kube_node_labels{node="${node}",label_inference_stacks_io_pool="${pool}"}`;
const tokens = (who: string) =>
  `gen_ai_client_token_usage_token_sum{namespace="inference-gateway",pod="proxy-0",gen_ai_original_model="qwen",consumer="${who}",gen_ai_token_type="output"}`;

/** Its pod is gone two minutes after it died; another one waits for a node, then loads. */
const GONE = DIES + 2;

function series(): InputSeries {
  const nodes = {
    [inPool("gpu-1", "gpu")]: always(1),
    [inPool("gpu-2", "gpu")]: since(NODE, "_", 1),
    [inPool("system-1", "system")]: always(1),
  };
  const others = world.labelledFor(END, {
    ...world.well(END),
    ...engine("chat-0"),
    ...engine("chat-1", DIES),
    ...firstTokens(),
    [world.engineUp("chat", "chat-1")]: gauge([DIES, 1], [GONE - DIES, 0], [1, "stale"]),
    ...podSeries("chat", "chat-1", gauge([DIES, 1], [GONE - DIES, 0], [1, "stale"])),
    ...podSeries("chat", "chat-2", gauge([GONE, "_"], [BACK - GONE, 0], [END - BACK, 1])),
    [world.engineUp("chat", "chat-2")]: gauge([NODE, "_"], [BACK - NODE, 0], [END - BACK, 1]),
    // The kubelet knows of no pod on it any more.
    [gpu(',namespace="model-chat",pod="chat-1"')]: gauge([DIES, 0], [GONE - DIES, 79], [1, "stale"]),
    [gpu("")]: since(GONE, "_", 79),
    [world.gpus("allocatable")]: since(DIES, 8, 7),
    [world.nodeReady("gpu-2")]: since(NODE, "_", 1),
    [world.gpus("capacity", "gpu-2")]: since(NODE, "_", 8),
    [world.gpus("allocatable", "gpu-2")]: since(NODE, "_", 8),
    [world.temperature("gpu-2")]: since(NODE, "_", 60),
    [request("chat", "chat-0", "gpu-1")]: always(2),
    [request("chat", "chat-1", "gpu-1")]: gauge([GONE, 2], [1, "stale"]),
    [request("chat", "chat-2", "gpu-2")]: since(NODE, "_", 2),
    [request("small", "small-0", "gpu-1")]: always(1),
    [tokens("web")]: counter([END, 600]),
    [tokens("batch")]: counter([SPIKE, 0], [CALM - SPIKE, 1200], [END - CALM, 0]),
    ...routeSeries("chat", { "2": answered, "4": always(0), "5": failed }),
    ...clientSeries({ "2": clients, "4": always(0), "5": failed }),
  });
  return { ...others, ...nodes };
}

export interface Told {
  readonly alert: string;
  /** First minute in which it fires, and the first in which it does not any more; none: until the end. */
  readonly from: number;
  readonly to?: number;
}

/** All that people are told, in this order. */
export const TOLD_OF_SPIKE: readonly Told[] = [
  // Seen at 411, for 1 minute; an hour after it came it is no news.
  { alert: "GpuXidErrors", from: 412, to: 471 },
  // At 411 60 of 5 * 183 are 6.6 %, for 3 minutes; at 444 the five minutes have no failure.
  { alert: "GatewayErrorRate", from: 414, to: 444 },
  // 1.44 % of an hour at 414 (see the figures below; at 413 1.2 of 85), for 1 minute. Six hours keep above 0.6 %, and half an hour until 473,
  // when 0.2 of 49 are left.
  { alert: "ErrorBudgetBurnsFast", from: 415, to: 473 },
  // At 414 4 * 60 of 5 * 180 are 26.7 %, for 2 minutes; at 441 three of five minutes failed.
  { alert: "ModelRequestsFailing", from: 416, to: 441 },
  // Somebody waited in all 10 minutes at 412, for 5 minutes.
  { alert: "RequestQueueGrowing", from: 417, to: 440 },
  // Of chat-0: six samples of 0.97 at 408, for 10 minutes. Of chat-1 for 8 minutes alone.
  { alert: "KvCacheAlmostFull", from: 418, to: 440 },
  // A fifth took longer at 409, for 10 minutes; at 444 none did.
  { alert: "HighTimeToFirstToken", from: 419, to: 444 },
  // 7 of 8 at 411, for 15 minutes.
  { alert: "GpuLost", from: 426 },
  // 0.6 of 441 in all at 412 are 0.14 %, for 15 minutes.
  { alert: "ErrorBudgetBurnsSlowly", from: 427 },
  // A replica starts within 1,000 s: none of the 20 minutes at 431 had two, for 5 minutes.
  { alert: "ReplicaLost", from: 436, to: 440 },
];

/** Minutes after the replica's death. */
export const afterDeath = ({ from }: Told) => from - DIES;

const RULES: readonly RuleSubject[] = [
  ...world.RULES,
  plannedCost(
    {
      pools: [
        { name: "gpu", role: "gpu", usdPerNodeHour: 8 },
        { name: "system", role: "system", usdPerNodeHour: 0.5 },
      ].map(({ name, role, usdPerNodeHour }) => ({
        name,
        role: role as "gpu" | "system",
        selector: { "inference-stacks.io/pool": name },
        minNodes: 1,
        scheduledNodeHours: 0,
        usdPerNodeHour,
        monthlyUsd: usdPerNodeHour * 730,
      })),
      cost: { services: [{ name: "load balancer", monthlyUsd: 73 }] as never },
      models: [{ name: "chat" }, { name: "small" }],
    },
    [{ model: "chat", names: ["qwen"] }],
  ),
];

interface Figure {
  readonly at: number;
  readonly expr: string;
  /** Rounded to thousandths. */
  readonly gives: number;
}

const burn = (window: string) => {
  const of = (record: string) => objectiveSeries(record, "chat", "availability");
  return `avg_over_time(${of(OBJECTIVE.bad)}[${window}]) / avg_over_time(${of(OBJECTIVE.all)}[${window}]) / 0.001`;
};
const ofTenant = (tenant: string) => `${COST_SERIES.tenant}{tenant="${tenant}"}`;
const ofModel = (model: string) => `${COST_SERIES.model}{model="${model}"}`;
const TENANTS_OFF = `abs(sum(${COST_SERIES.tenant}) / sum(${COST_SERIES.total}) - 1)`;

/** Sums of recorded rates in requests a second, and costs in US dollars an hour. */
const FIGURES: readonly Figure[] = [
  // Bad: 0.2 + 0.4 + 0.6 + 0.8. All: 49 * 1, then 1.4 + 1.8 + 2.2 + 2.6, 10 * 3; a window of an hour has 61 values.
  { at: 414, expr: burn("1h"), gives: 2 / 87 / 0.001 },
  // Bad: 2, 25 * 1, 0.8. All: 20 * 1, 8, 37 * 3.
  { at: 440, expr: burn("1h"), gives: 27.8 / 139 / 0.001 },
  // The same; 300 minutes more of 1.
  { at: 440, expr: burn("6h"), gives: 27.8 / 439 / 0.001 },
  // A node at 8, 0.5 for the system's, 73 a month for the rest. chat has 4 of 8 GPUs, small one.
  { at: 395, expr: COST_SERIES.total, gives: 8 + 0.5 + 0.1 },
  { at: 395, expr: ofModel("chat"), gives: 4 },
  { at: 395, expr: ofTenant("web"), gives: 4 },
  { at: 395, expr: ofTenant(OF_NOBODY.idle), gives: 3 },
  // The dead replica's pod is gone, and the next one has no node.
  { at: 414, expr: ofModel("chat"), gives: 2 },
  { at: 414, expr: ofTenant(OF_NOBODY.idle), gives: 5 },
  // Two nodes. In 60 minutes web had 600 tokens each, in 31 of them batch 1,200.
  { at: 430, expr: COST_SERIES.total, gives: 16 + 0.5 + 0.1 },
  { at: 430, expr: ofModel("chat"), gives: 4 },
  { at: 430, expr: ofTenant("web"), gives: (4 * 36_000) / 73_200 },
  { at: 430, expr: ofTenant("batch"), gives: (4 * 37_200) / 73_200 },
  { at: 430, expr: ofTenant(OF_NOBODY.unallocated), gives: 1 },
  { at: 430, expr: ofTenant(OF_NOBODY.idle), gives: 11 },
  { at: 430, expr: ofTenant(OF_NOBODY.shared), gives: 0.6 },
  // Tenants' figures sum up to the cost of each minute, within 1 %.
  { at: END - 1, expr: `max_over_time((${TENANTS_OFF} < bool 0.01)[${END - 20}m:1m])`, gives: 1 },
  { at: END - 1, expr: `min_over_time((${TENANTS_OFF} < bool 0.01)[${END - 20}m:1m])`, gives: 1 },
];

/** Every minute has just the alerts that are expected in it. @param told what is expected */
export function spikeFiles(told: readonly Told[] = TOLD_OF_SPIKE): PromtoolFiles {
  const minutes = Array.from({ length: END }, (_, minute) => minute);
  const fires = (minute: number) =>
    told.filter(({ from, to = END }) => minute >= from && minute < to).map(({ alert }) => alert);
  const test: PromtoolTest = {
    name: "a spike with a dying replica",
    interval: "1m",
    input_series: inputs(series()),
    promql_expr_test: [
      ...minutes.map((minute) => ({
        expr: `count by (alertname) (${TOLD})`,
        eval_time: `${minute}m`,
        exp_samples: fires(minute).map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      })),
      ...FIGURES.map(({ at, expr, gives }) => ({
        expr: `sum(round(1000 * (${expr})))`,
        eval_time: `${at}m`,
        exp_samples: [{ labels: "{}", value: Math.round(1000 * gives) }],
      })),
    ],
  };
  return testFile("spike", "1m", [test], RULES);
}
