/** Columns and row order of `top`'s tables. Pure. */
import { bar, type Style, usd } from "../../report/style";
import { type Column, fitted } from "./columns";
import type { AlertRow, GpuRow, ModelRow, Snapshot, TaskRow, WorkerRow } from "./facts";
import type { Sort, View } from "./view";

const UNHEALTHY = ["unreachable", "failed", "critical"];
const CHANGING = ["starting", "draining", "stopped", "asleep", "pulling", "queued", "absent", "warning"];

const byState =
  <Row>(of: (row: Row) => string | undefined) =>
  (row: Row, { bad, warn, good }: Style) => {
    const state = of(row) ?? "";
    return UNHEALTHY.includes(state) ? bad : CHANGING.includes(state) ? warn : good;
  };

const percent = (share: number | undefined) => (share === undefined ? "" : `${Math.round(100 * share)} %`);

function milliseconds(value: number | undefined): string {
  if (value === undefined) {
    return "";
  }
  return value < 9999 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(0)} s`;
}

function gib({ usedBytes, budgetBytes }: WorkerRow["memory"]): string {
  const of = (bytes: number) => (bytes / 2 ** 30).toFixed(bytes < 100 * 2 ** 30 ? 1 : 0);
  return `${of(usedBytes)}/${of(budgetBytes)} GiB`;
}

const shareOf = ({ usedBytes, budgetBytes }: WorkerRow["memory"]) => (budgetBytes > 0 ? usedBytes / budgetBytes : 0);
const hot = (share: number | undefined, { warn }: Style) => ((share ?? 0) > 0.9 ? warn : undefined);

const ALERTS: readonly Column<AlertRow>[] = [
  { title: "firing alert", text: ({ name }) => name },
  { title: "severity", text: ({ severity }) => severity, paint: byState(({ severity }) => severity) },
  { title: "about", text: ({ about = "" }) => about },
];

const WORKERS: readonly Column<WorkerRow>[] = [
  { title: "worker", text: ({ name }) => name },
  { title: "engine", text: ({ engine }) => engine, drop: 2 },
  { title: "state", text: ({ state }) => state, paint: byState(({ state }) => state) },
  {
    title: "memory",
    text: ({ memory }) => gib(memory),
    align: "right",
    paint: ({ memory }, style) => hot(shareOf(memory), style),
  },
  { title: "", text: ({ memory }) => bar(shareOf(memory)), drop: 4 },
  { title: "disk", text: ({ disk }) => (disk ? gib(disk) : ""), align: "right", drop: 3 },
  { title: "models", text: ({ models }) => String(models.length), align: "right", drop: 1 },
  { title: "problem", text: ({ problem = "" }) => problem, drop: 5 },
];

const MODELS: readonly Column<ModelRow>[] = [
  { title: "model", text: ({ name }) => name },
  { title: "state", text: ({ state = "" }) => state, paint: byState(({ state }) => state), drop: 3 },
  { title: "ready", text: readyText, align: "right", paint: readyPaint },
  { title: "queue", text: ({ waiting }) => (waiting === undefined ? "" : String(waiting)), align: "right" },
  { title: "running", text: ({ running }) => (running === undefined ? "" : String(running)), align: "right", drop: 4 },
  { title: "first token", text: ({ firstTokenMs }) => milliseconds(firstTokenMs), align: "right", drop: 1 },
  { title: "per token", text: ({ tokenMs }) => milliseconds(tokenMs), align: "right", drop: 5 },
  { title: "request", text: ({ requestMs }) => milliseconds(requestMs), align: "right", drop: 6 },
  {
    title: "KV",
    text: ({ kvCache }) => percent(kvCache),
    align: "right",
    paint: ({ kvCache }, style) => hot(kvCache, style),
  },
  { title: "GPU", text: ({ gpuMemory }) => percent(gpuMemory), align: "right", drop: 2 },
  { title: "$/h", text: costText, align: "right", drop: 7 },
  { title: "workers", text: ({ workers = [] }) => workers.join(" "), drop: 8 },
];

function costText({ usdPerHour, hourlyUsd }: ModelRow): string {
  const cost = usdPerHour ?? hourlyUsd;
  return cost ? usd(cost) : "";
}

function readyText({ ready, plannedReplicas }: ModelRow): string {
  return ready === undefined ? "" : plannedReplicas === undefined ? String(ready) : `${ready}/${plannedReplicas}`;
}

function readyPaint({ ready, plannedReplicas = 0 }: ModelRow, { bad }: Style) {
  return ready !== undefined && ready < plannedReplicas ? bad : undefined;
}

const TASKS: readonly Column<TaskRow>[] = [
  { title: "task", text: ({ kind, model = "", worker = "" }) => `${kind} ${model || worker}` },
  { title: "state", text: ({ state }) => state, paint: byState(({ state }) => state) },
  { title: "", text: ({ state, progress }) => (state === "failed" ? "" : bar(progress / 100)), drop: 3 },
  { title: "done", text: ({ state, progress }) => (state === "running" ? `${progress} %` : ""), align: "right" },
  { title: "worker", text: ({ model, worker = "" }) => (model === undefined ? "" : worker), drop: 2 },
  { title: "step", text: ({ error, step = "" }) => error ?? step, drop: 1 },
];

const GPUS: readonly Column<GpuRow>[] = [
  { title: "GPU", text: ({ node, gpu }) => `${node} ${gpu}` },
  { title: "card", text: ({ product }) => product, drop: 2 },
  { title: "model", text: ({ model = "" }) => model, drop: 1 },
  {
    title: "memory",
    text: ({ memory }) => percent(memory),
    align: "right",
    paint: ({ memory }, style) => hot(memory, style),
  },
  { title: "busy", text: ({ utilization }) => percent(utilization), align: "right" },
];

const byName = (a: { readonly name: string }, b: { readonly name: string }) => a.name.localeCompare(b.name);
const fallingBy =
  <Row extends { readonly name: string }>(of: (row: Row) => number | undefined) =>
  (a: Row, b: Row) =>
    (of(b) ?? -1) - (of(a) ?? -1) || byName(a, b);

const MODEL_ORDER: Readonly<Record<Sort, (a: ModelRow, b: ModelRow) => number>> = {
  name: byName,
  queue: fallingBy(({ waiting }) => waiting),
  latency: fallingBy(({ firstTokenMs, requestMs }) => firstTokenMs ?? requestMs),
  memory: fallingBy(({ kvCache, gpuMemory }) => Math.max(kvCache ?? -1, gpuMemory ?? -1)),
};

const byMemory = fallingBy<WorkerRow>(({ memory }) => shareOf(memory));

/** Tables with rows, separated by empty lines. */
export function sectionLines(snapshot: Snapshot, { filter, sort }: View, width: number, style: Style): string[] {
  const { alerts, workers, models, tasks, gpus } = snapshot;
  const chosen = <Row>(rows: readonly Row[]) => rows.filter((row) => isChosen(row, filter));
  const parts = [
    fitted(ALERTS, chosen(alerts), width, style),
    fitted(MODELS, chosen(models).sort(MODEL_ORDER[sort]), width, style),
    fitted(WORKERS, chosen(workers).sort(sort === "memory" ? byMemory : byName), width, style),
    fitted(TASKS, chosen(tasks), width, style),
    fitted(GPUS, chosen(gpus), width, style),
  ].filter((lines) => lines.length > 0);
  return parts.flatMap((lines, i) => (i === 0 ? lines : ["", ...lines]));
}

function isChosen(row: unknown, filter: string): boolean {
  return filter === "" || textsOf(row).some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
