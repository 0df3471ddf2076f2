import { visible } from "../../names/visible";
import { upCommand } from "../../report/next-step";
import { type Cell, type Style, style, table } from "../../report/style";
import { CAPACITY_TYPES } from "../cluster/instance-types";
import type { AutoscalerFact, DrainFact, Finding, GroupFact, LossFact, RehearsalReport, WorkloadFact } from "./schema";
import { SIMULATED, SIMULATED_CLOUD } from "./simulated";

export function terminalReport(report: RehearsalReport, options: { readonly color: boolean }): string {
  const s = style(options.color);
  return [
    `${s.bold(`inference-stacks · ${report.environment}`)} · rehearsed in ${report.seconds.toFixed(1)} s\n`,
    pools(report, s),
    autoscaled(report, s),
    workloads(report.workloads, s),
    groups(report.groups, s),
    drains(report.drains, s),
    losses(report.losses, s),
    findings(report.findings, s),
    notRehearsed(report, s),
    phases(report, s),
    verdict(report, s),
  ]
    .filter((section) => section !== "")
    .join("\n");
}

function section(s: Style, header: readonly string[], rows: readonly (readonly (string | Cell)[])[]): string {
  return rows.length === 0 ? "" : table([header.map((text) => ({ text, paint: s.dim })), ...rows]);
}

function pools({ pools: all }: RehearsalReport, s: Style): string {
  return section(
    s,
    ["Pools", "shape", "nodes", "GPUs each"],
    all.map(({ name, shape, nodes, maxNodes, gpusPerNode }) => [
      { text: name, paint: s.bold },
      shape,
      maxNodes > nodes ? `${nodes} (may have ${maxNodes})` : String(nodes),
      gpusPerNode === 0 ? "–" : String(gpusPerNode),
    ]),
  );
}

function autoscaled({ autoscaler }: RehearsalReport, s: Style): string {
  const all = autoscaler?.pools ?? [];
  const usd = (value: number | null): string => (value === null ? "not known" : value.toFixed(2));
  return section(
    s,
    [autoscaler?.name ?? "", "nodes made", "machine", "seconds", "USD/hour"],
    all.map(({ name, shape, made, seconds, usdPerHour }) => [
      { text: name, paint: s.bold },
      made.length === 0 ? "none" : `${made.length}: ${kindsOfCapacity(made)}`,
      made.length === 0 ? shape : [...new Set(made.map((node) => node.shape))].join(", "),
      seconds === null ? "–" : String(seconds),
      usd(usdPerHour),
    ]),
  );
}

/** `2 on-demand, 1 spot` */
function kindsOfCapacity(made: AutoscalerFact["pools"][number]["made"]): string {
  return CAPACITY_TYPES.map((type) => ({ type, count: made.filter((node) => node.capacityType === type).length }))
    .filter(({ count }) => count > 0)
    .map(({ type, count }) => `${count} ${type}`)
    .join(", ");
}

function workloads(all: readonly WorkloadFact[], s: Style): string {
  return section(
    s,
    ["Workloads", "kind", "ready", "on"],
    all.map(({ kind, namespace, name, replicas, readyReplicas, pods }) => [
      { text: `${namespace}/${name}`, paint: s.bold },
      kind,
      {
        text: `${readyReplicas} of ${replicas}${units(kind, replicas)}`,
        paint: readyReplicas < replicas ? s.bad : s.good,
      },
      nodeList(pods.flatMap(({ node }) => node ?? [])),
    ]),
  );
}

function units(kind: WorkloadFact["kind"], count: number): string {
  if (kind === "Job") {
    return " ended";
  }
  if (kind === "LeaderWorkerSet") {
    return count === 1 ? " group" : " groups";
  }
  return "";
}

/** `a10-0 (2), a10-1` */
function nodeList(nodes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return [...counts].map(([node, count]) => (count > 1 ? `${node} (${count})` : node)).join(", ");
}

function groups(all: readonly GroupFact[], s: Style): string {
  return section(
    s,
    ["Groups", "formed", "pods"],
    all.map(({ name, complete, size, pods }) => [
      { text: name, paint: s.bold },
      { text: complete ? "yes" : "no", paint: complete ? s.good : s.bad },
      `${pods.length} of ${size}: ${pods.map(({ role, index, node }) => `${role === "leader" ? role : `${role} ${index}`} ${node === null ? "waits" : `on ${node}`}`).join(", ")}`,
    ]),
  );
}

function drains(all: readonly DrainFact[], s: Style): string {
  return section(
    s,
    ["Drains", "pods", "ended", "held by", "fewest replicas"],
    all.map(({ node, evicted, pods, finished, addedNodes, heldBy, workloads: affected }) => [
      { text: node, paint: s.bold },
      `${evicted} of ${pods}`,
      { text: ending(finished, addedNodes), paint: finished ? (addedNodes > 0 ? s.warn : s.good) : s.bad },
      heldBy.map(({ budget, refusals }) => `${budget} (${refusals} ×)`).join(", ") || "–",
      affected.map((workload) => `${subjectOf(workload)} ${workload.fewest} of ${workload.replicas}`).join(", "),
    ]),
  );
}

/** Its model, or its namespace and name. */
function subjectOf({ model, namespace, name }: Pick<WorkloadFact, "model" | "namespace" | "name">): string {
  return model ?? `${namespace}/${name}`;
}

function ending(finished: boolean, addedNodes: number): string {
  if (!finished) {
    return "no";
  }
  return addedNodes === 0 ? "yes" : `with ${addedNodes} more`;
}

function losses(all: readonly LossFact[], s: Style): string {
  return section(
    s,
    ["Losses", "pods", "without it", "waiting", "groups", "recovered"],
    all.map(({ node, pods, workloads: hit, groups: restarted, recovered }) => [
      { text: node, paint: s.bold },
      String(pods),
      hit.map((workload) => `${subjectOf(workload)} ${workload.left} of ${workload.replicas}`).join(", "),
      String(hit.flatMap(({ waiting }) => waiting).length),
      restarted.map(({ name, restartedAsGroup }) => `${name} ${restartedAsGroup ? "anew" : "in part"}`).join(", ") ||
        "–",
      { text: recovered ? "yes" : "no", paint: recovered ? s.good : s.bad },
    ]),
  );
}

function findings(all: readonly Finding[], s: Style): string {
  return all
    .map(({ severity, subject, message }) => {
      const mark = severity === "broken" ? s.bad("✗") : s.warn("!");
      return `${mark} ${s.bold(visible(subject))} ${visible(message)}\n`;
    })
    .join("");
}

function notRehearsed({ notRehearsed: left, autoscaler }: RehearsalReport, s: Style): string {
  const rows = [
    `pods of ${left.charts.length} Helm charts: ${left.charts.join(", ") || "none"}`,
    `controllers of ${left.customResourceKinds.length} kinds of custom resources: ${left.customResourceKinds.join(", ") || "none"}`,
    ...(left.cronJobs.length > 0 ? [`${left.cronJobs.length} CronJobs: ${left.cronJobs.join(", ")}`] : []),
    ...SIMULATED,
    ...(autoscaler ? SIMULATED_CLOUD : []),
  ];
  return `${s.dim("Not rehearsed")}\n${rows.map((row) => s.dim(`  ${row}\n`)).join("")}`;
}

function phases({ phases: all }: RehearsalReport, s: Style): string {
  return s.dim(`Seconds: ${all.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)}`).join(" · ")}\n`);
}

function verdict({ ok, environment, findings: all, objects }: RehearsalReport, s: Style): string {
  const breaks = all.filter(({ severity }) => severity === "broken").length;
  if (!ok) {
    return `${s.bad(`${breaks} ${breaks === 1 ? "promise does" : "promises do"} not hold`)}: see what is marked ✗.\n`;
  }
  return `${s.good("All as promised")}: ${objects.applied} objects accepted, every pod has its place.\nNext: ${upCommand(environment, undefined)}\n`;
}
