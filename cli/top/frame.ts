/** Screen content, or plain output. Pure. */
import { count, type Style, usd, wrap } from "../../report/style";
import type { Size } from "../screen";
import { cut } from "./columns";
import type { Snapshot, SourceState } from "./facts";
import { sectionLines } from "./sections";
import { START, type View } from "./view";

export interface Frame {
  readonly lines: readonly string[];
  /** Scroll range: body lines that do not fit. */
  readonly most: number;
}

const KEYS = "q quit · s sort · / filter · ? help";

const HELP = [
  "s         sort by name, queue, latency (95th percentile of the first token), memory",
  "/         filter: rows with this text; Enter keeps it, Esc clears it",
  "↑ ↓ j k   scroll, also by Page Up, Page Down, Home, End",
  "? h       this text; any key closes it",
  "q Ctrl-C  quit",
];

export function frame(snapshot: Snapshot, view: View, { columns, rows }: Size, style: Style): Frame {
  const head = headLines(snapshot, columns, style);
  const body = view.help ? HELP.flatMap((line) => wrap(line, columns, "")) : bodyLines(snapshot, view, columns, style);
  const room = Math.max(1, rows - head.length - 3);
  const most = Math.max(0, body.length - room);
  const offset = view.help ? 0 : Math.min(view.offset, most);
  const shown = body.slice(offset, offset + room);
  const filling = Array.from({ length: room - shown.length }, () => "");
  const lines = [...head, "", ...shown, ...filling, "", style.dim(cut(footText(view, offset, most), columns))];
  // Tiny terminals keep the keys.
  return { lines: lines.slice(-rows), most };
}

/** Everything, once. */
export function plainText(snapshot: Snapshot, width: number, style: Style): string {
  const lines = [...headLines(snapshot, width, style), "", ...bodyLines(snapshot, START, width, style)];
  return `${lines.join("\n")}\n`;
}

function footText({ sort, filter, typing }: View, offset: number, most: number): string {
  if (typing) {
    return `filter: ${filter}▏`;
  }
  const more = most > 0 ? ` · ${offset > 0 ? "↑" : ""}${offset < most ? `↓ ${most - offset} more` : ""}` : "";
  return `${KEYS} · by ${sort}${filter === "" ? "" : ` · with "${filter}"`}${more}`;
}

function bodyLines(snapshot: Snapshot, view: View, width: number, style: Style): string[] {
  const lines = sectionLines(snapshot, view, width, style);
  if (lines.length > 0) {
    return lines;
  }
  return [view.filter === "" ? "nothing is known yet" : "no row has this text; Esc shows all"];
}

function headLines(snapshot: Snapshot, width: number, style: Style): string[] {
  const { at, environment, hourlyUsd, actualHourlyUsd, workers, models, tasks, sources } = snapshot;
  const waiting = tasks.filter(({ state }) => state === "queued").length;
  const parts = [
    environment ?? sources.control.url ?? "",
    `${clock(at)} UTC`,
    ...(actualHourlyUsd === undefined ? [] : [`${usd(actualHourlyUsd)} USD/h`]),
    ...(hourlyUsd === undefined ? [] : [`${usd(hourlyUsd)} USD/h planned`]),
    counted(models.length, "model"),
    ...(workers.length > 0 ? [counted(workers.length, "worker")] : []),
    ...(waiting > 0 ? [`${count(waiting)} queued`] : []),
  ];
  return [
    style.bold(cut(parts.join(" · "), width)),
    ...sourceLines(
      "the control API",
      "workers, tasks and memory of workers are missing",
      sources.control,
      width,
      style,
    ),
    ...sourceLines(
      "Prometheus",
      "replicas, queues, latency, KV cache and GPUs are missing",
      sources.prometheus,
      width,
      style,
    ),
    ...(hourlyUsd === undefined && actualHourlyUsd === undefined
      ? wrap("cost is missing: name an environment", width, "").map(style.dim)
      : []),
  ];
}

/** Empty while it answers. */
function sourceLines(name: string, missing: string, source: SourceState, width: number, style: Style): string[] {
  if (source.ok) {
    return [];
  }
  if (source.url === undefined) {
    return wrap(
      `${missing}: name ${name} (${name === "Prometheus" ? "--prometheus" : "--control-url"} URL)`,
      width,
      "",
    ).map(style.dim);
  }
  const { problem = "no answer yet", lookAt, answeredAt } = source;
  const then = answeredAt === undefined ? missing : `figures are of ${clock(answeredAt)} UTC`;
  const look = lookAt === undefined ? "" : `; look at ${lookAt}`;
  return wrap(`! ${name}: ${problem}; ${then}${look}`, width, "").map(style.warn);
}

function clock(at: string): string {
  return at.slice(11, 19);
}

function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}
