import { type Cell, type Style, style, table, WIDTH, wrap } from "../../report/style";
import type { StatusProblem, StatusReport } from "../status/result";
import { problemText } from "./report-problems";
import type { AskedNode, FleetStatus } from "./result";

const MARKS: Readonly<Record<AskedNode["verdict"], string>> = {
  well: "✓",
  unwell: "✗",
  "not-asked": "?",
  "bad-input": "✗",
  failed: "✗",
};
const WORDS: Readonly<Record<AskedNode["verdict"], string>> = {
  well: "all answers",
  unwell: "something does not answer",
  "not-asked": "cannot be asked",
  "bad-input": "bad input",
  failed: "no plan",
};
const WELL: readonly string[] = ["ready", "stopped", "asleep", "outside"];

/** A line per node, then problems by node. */
export function fleetStatusText(report: FleetStatus, color: boolean): string {
  const s = style(color);
  const { fleet, totals, nodes, seconds } = report;
  const counts = [
    `${totals.well} of ${totals.nodes} well`,
    ...(totals.unwell > 0 ? [`${totals.unwell} with trouble`] : []),
    ...(totals.notAsked > 0 ? [`${totals.notAsked} that cannot be asked`] : []),
    ...(totals.badInput > 0 ? [`${totals.badInput} with bad input`] : []),
    ...(totals.failed > 0 ? [`${totals.failed} without a plan`] : []),
  ].join(" · ");
  return [
    `${s.bold(`inference-stacks fleet · status of ${fleet}`)} · ${seconds.toFixed(1)} s\n`,
    nodeTable(nodes, s),
    `${s.bold("Fleet")}  ${counts}\n`,
    ...nodes.map((node) => troubles(node, s)),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function nodeTable(nodes: readonly AskedNode[], s: Style): string {
  const rows = nodes.map(({ name, verdict, status }): (string | Cell)[] => {
    const paint = verdict === "well" ? s.good : verdict === "not-asked" ? s.warn : s.bad;
    const isAsked = status !== undefined && status.failure === null;
    const answering = status?.models.filter(({ state }) => WELL.includes(state)).length ?? 0;
    return [
      { text: `${MARKS[verdict]} ${name}`, paint },
      { text: WORDS[verdict], paint },
      { text: isAsked ? `${answering} of ${status.models.length}` : "", align: "right" },
      { text: isAsked ? podsText(status) : "", align: "right" },
      isAsked ? status.address : (status?.cluster?.server ?? ""),
    ];
  });
  const head = ["Nodes", "state", "models", "platform pods", "address"].map((text) => ({ text, paint: s.dim }));
  return table([head, ...rows]);
}

function podsText({ platform }: StatusReport): string {
  const sum = (of: "readyPods" | "pods") => platform.reduce((total, part) => total + part[of], 0);
  return `${sum("readyPods")} of ${sum("pods")}`;
}

function troubles({ name, verdict, problems, failure, notes, status }: AskedNode, s: Style): string {
  const troubled = status?.models.filter(({ state }) => !WELL.includes(state)) ?? [];
  const parts =
    status?.platform.filter(({ readyPods, pods, problems: own }) => readyPods < pods || own.length > 0) ?? [];
  if (verdict === "well" && notes.length === 0) {
    return "";
  }
  return [
    `${(verdict === "not-asked" ? s.warn : s.bad)(`${MARKS[verdict]} ${name}`)}\n`,
    ...problems.map((problem, index) => problemText(problem, index + 1, s)),
    ...(failure === undefined ? [] : [`${failure.replace(/^/gm, "  ")}\n`]),
    ...troubled.flatMap(({ name: model, state, readyReplicas, replicas, problems: own }) => [
      `  ${model}: ${state}, ${readyReplicas} of ${replicas} replicas\n`,
      ...own.map(trouble),
    ]),
    ...parts.flatMap(({ namespace, readyPods, pods, problems: own }) => [
      `  ${namespace}: ${readyPods} of ${pods} pods are ready\n`,
      ...own.map(trouble),
    ]),
    ...notes.map((note) => `${wrap(`- ${note}`, WIDTH, "  ").join("\n")}\n`),
    ...(verdict === "unwell" ? [s.dim(`  with warnings and logs: npm run status -- ${name}\n`)] : []),
  ].join("");
}

function trouble({ what, why, remedies }: StatusProblem): string {
  const lines = [`${what}: ${why}`, ...remedies.map((remedy) => `- ${remedy}`)];
  return lines
    .flatMap((text) => wrap(text, WIDTH, "    "))
    .map((line) => `${line}\n`)
    .join("");
}
