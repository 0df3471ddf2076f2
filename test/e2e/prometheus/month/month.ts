/**
 * A month of traffic on one pool, by a fixed seed: `chat` follows demand from two to four replicas, `mail` has one all the time. What it costs is
 * added up here hour by hour, by other means than the rules.
 */

import { modelNamespaceSeries, podSeries } from "../../../../components/observability/rules/models";
import type { PlannedCosts } from "../../../../components/observability/rules/planned-cost";
import type { InputSeries } from "../../../../components/observability/rules/types";
import { randomFrom } from "../../../../planner/speed/random";

export const HOURS = 30 * 24;
/** Samples, and evaluations of rules, an hour: the rates of tokens look back one hour. */
export const PER_HOUR = 2;
const USD_OF_NODE = 8;
const USD_OF_SYSTEM = 0.5;
const GPUS = 4;

export const PLANNED: PlannedCosts["pools"] = [
  {
    name: "gpu",
    role: "gpu",
    selector: { "inference-stacks.io/pool": "gpu" },
    minNodes: 1,
    scheduledNodeHours: 0,
    usdPerNodeHour: USD_OF_NODE,
    monthlyUsd: USD_OF_NODE * 730,
  },
  {
    name: "system",
    role: "system",
    selector: { "inference-stacks.io/pool": "system" },
    minNodes: 1,
    scheduledNodeHours: 0,
    usdPerNodeHour: USD_OF_SYSTEM,
    monthlyUsd: USD_OF_SYSTEM * 730,
  },
];

interface Hour {
  readonly replicas: number;
  readonly nodes: number;
  /** Tokens of `web` and of `batch`, for `chat`; nobody asks `mail`. */
  readonly web: number;
  readonly batch: number;
}

/** More replicas by day; a batch at night on some days; a node that goes an hour after it is needed. */
function hours(): Hour[] {
  const { next } = randomFrom(7);
  const replicas = Array.from({ length: HOURS }, (_, hour) => {
    const isDay = hour % 24 >= 8 && hour % 24 < 20;
    return isDay ? 2 + Math.floor(3 * next()) : 2;
  });
  return replicas.map((count, hour) => {
    const isNight = hour % 24 < 4;
    const most = Math.max(count, replicas[hour - 1] ?? count);
    return {
      replicas: count,
      // `mail` has one GPU, each replica of `chat` one; four are in a node.
      nodes: Math.ceil((most + 1) / GPUS),
      web: 600 + Math.floor(3000 * next()),
      batch: isNight && next() < 0.5 ? 6000 : 0,
    };
  });
}

export const MONTH: readonly Hour[] = hours();

/** In promtool's notation: each value for an hour; `_` where there is nothing. */
function gauge(values: readonly (number | "_")[]): string {
  return values.map((value) => (value === "_" ? `_x${PER_HOUR}` : `${value}x${PER_HOUR - 1}`)).join(" ");
}

/** A counter that grows evenly by so much in each hour. */
function counter(values: readonly number[]): string {
  let at = 0;
  return values
    .map((value) => {
      const step = value / PER_HOUR;
      const text = `${at + step}+${step}x${PER_HOUR - 1}`;
      at += value;
      return text;
    })
    .join(" ");
}

const request = (model: string, pod: string, node: string) =>
  `kube_pod_container_resource_requests{namespace="model-${model}",pod="${pod}",container="engine",node="${node}",resource="nvidia_com_gpu",unit="integer"}`;
const tokens = (who: string) =>
  `gen_ai_client_token_usage_token_sum{namespace="inference-gateway",pod="proxy-0",gen_ai_original_model="qwen",consumer="${who}",gen_ai_token_type="output"}`;
const always = (value: number) => gauge(MONTH.map(() => value));
const whileIts = (holds: (hour: Hour) => boolean, value: number) =>
  gauge(MONTH.map((hour) => (holds(hour) ? value : "_")));

export function monthSeries(): InputSeries {
  const node = (name: string, pool: string, there: (hour: Hour) => boolean): InputSeries => ({
    [`kube_node_labels{node="${name}",label_inference_stacks_io_pool="${pool}"}`]: whileIts(there, 1),
    ...(pool === "gpu" && {
      [`kube_node_status_capacity{node="${name}",resource="nvidia_com_gpu",unit="integer"}`]: whileIts(there, GPUS),
    }),
  });
  const chat = [0, 1, 2, 3].map((i): InputSeries => {
    const runs = ({ replicas }: Hour) => replicas > i;
    return {
      [request("chat", `chat-${i}`, i < 3 ? "gpu-1" : "gpu-2")]: whileIts(runs, 1),
      ...podSeries("chat", `chat-${i}`, whileIts(runs, 1)),
      [`kube_pod_labels{namespace="model-chat",pod="chat-${i}",label_inference_stacks_io_model="chat"}`]: always(1),
    };
  });
  return Object.assign(
    node("gpu-1", "gpu", () => true),
    node("gpu-2", "gpu", ({ nodes }) => nodes > 1),
    node("system-1", "system", () => true),
    modelNamespaceSeries("chat", always(1)),
    modelNamespaceSeries("mail", always(1)),
    ...chat,
    { [request("mail", "mail-0", "gpu-1")]: always(1) },
    podSeries("mail", "mail-0", always(1)),
    { 'kube_pod_labels{namespace="model-mail",pod="mail-0",label_inference_stacks_io_model="mail"}': always(1) },
    {
      [tokens("web")]: counter(MONTH.map(({ web }) => web)),
      [tokens("batch")]: counter(MONTH.map(({ batch }) => batch)),
    },
  );
}

/** At each evaluation, by the tokens of the two halves of an hour that end there; at the first there is no rate. */
function batchByHand(usdOfGpu: number): number {
  const halves = MONTH.flatMap((hour) => Array.from({ length: PER_HOUR }, () => hour));
  const parts = halves.map((now, i) => {
    const before = i === 1 ? now : halves[i - 1];
    const [batch, web] = [now.batch + (before?.batch ?? 0), now.web + (before?.web ?? 0)];
    return i === 0 ? 0 : (batch / (batch + web)) * now.replicas * usdOfGpu;
  });
  return parts.reduce((sum, part) => sum + part, 0) / halves.length;
}

/** Means in US dollars an hour, added up by hand. */
export function byHand() {
  const mean = (of: (hour: Hour) => number) => MONTH.reduce((sum, hour) => sum + of(hour), 0) / HOURS;
  const usdOfGpu = USD_OF_NODE / GPUS;
  return {
    nodes: mean(({ nodes }) => nodes),
    gpu: mean(({ nodes }) => nodes * USD_OF_NODE),
    total: mean(({ nodes }) => nodes * USD_OF_NODE) + USD_OF_SYSTEM,
    chat: mean(({ replicas }) => replicas * usdOfGpu),
    mail: usdOfGpu,
    idle: mean(({ nodes, replicas }) => nodes * USD_OF_NODE - (replicas + 1) * usdOfGpu),
    batch: batchByHand(usdOfGpu),
    replicas: mean(({ replicas }) => replicas),
  };
}
