import { type Cell, type Style, style, table, WIDTH, wrap } from "../../report/style";
import { gitopsText } from "./gitops";
import type { ModelStatus, State, StatusProblem, StatusReport } from "./result";

const MARKS: Readonly<Record<State, string>> = {
  ready: "✓",
  degraded: "!",
  starting: "…",
  failing: "✗",
  stopped: "–",
  asleep: "z",
  absent: "✗",
  outside: "→",
  unknown: "?",
};

/** A table, problems, then calls. Cluster texts are already cleaned. */
export function statusText(report: StatusReport, color: boolean): string {
  const s = style(color);
  const { environment, cluster, failure, models, platform, seconds } = report;
  const where = cluster === null ? "no cluster asked" : `${cluster.server} (context ${cluster.context})`;
  const head = `${s.bold(`inference-stacks status · ${environment}`)} · ${where} · ${seconds.toFixed(1)} s\n`;
  if (failure !== null) {
    return `${head}\n${s.bad(`✗ ${failure.message}`)}\n${bullets(failure.remedies)}`;
  }
  const troubled = models.filter(({ state, problems }) => state !== "ready" || problems.length > 0);
  return [
    head,
    modelTable(models, s),
    groupTable(report, s),
    partTable(report, s),
    report.chatPage === null ? "" : `Chat page: ${report.chatPage}\n`,
    report.gitops === null ? "" : gitopsText(report.gitops),
    volumeTable(report, s),
    ...troubled.filter(hasMore).map((model) => details(model, s)),
    ...platform.flatMap(({ namespace, problems }) => problems.map((problem) => problemText(namespace, problem, s))),
    calls(report, s),
  ]
    .filter((block) => block !== "")
    .join("\n");
}

function modelTable(models: readonly ModelStatus[], s: Style): string {
  const scales = models.some(({ scaling }) => scaling !== null);
  const rows = models.map(({ name, engine, state, readyReplicas, replicas, scaling, endpoint }): (string | Cell)[] => [
    { text: `${MARKS[state]} ${name}`, paint: paintOf(state, s) },
    { text: state, paint: paintOf(state, s) },
    { text: state === "outside" ? "" : `${readyReplicas} of ${replicas}`, align: "right" },
    ...(scales ? [scaling === null ? "" : `${scaling.min}–${scaling.max}`] : []),
    engine,
    endpoint ?? "",
  ]);
  const titles = ["Models", "state", "replicas", ...(scales ? ["scales"] : []), "engine", "endpoint"];
  const head = titles.map((text) => ({ text, paint: s.dim }));
  return rows.length === 0 ? "no models\n" : table([head, ...rows]);
}

function groupTable({ groups }: StatusReport, s: Style): string {
  const rows = groups.map(({ name, model, state, readyNodes, nodes, endpoint }): (string | Cell)[] => [
    { text: `${MARKS[state]} ${name}`, paint: paintOf(state, s) },
    { text: state, paint: paintOf(state, s) },
    { text: state === "outside" ? "" : `${readyNodes} of ${nodes}`, align: "right" },
    model,
    endpoint ?? "",
  ]);
  const head = ["Server groups", "state", "nodes", "model", "address"].map((text) => ({ text, paint: s.dim }));
  return rows.length === 0 ? "" : table([head, ...rows]);
}

function partTable({ platform }: StatusReport, s: Style): string {
  const rows = platform.map(({ namespace, readyPods, pods, problems }): (string | Cell)[] => {
    const isWell = readyPods === pods && problems.length === 0;
    return [
      { text: `${isWell ? "✓" : "!"} ${namespace}`, paint: isWell ? s.good : s.warn },
      { text: `${readyPods} of ${pods}`, align: "right" },
    ];
  });
  const head = ["Platform", "pods ready"].map((text) => ({ text, paint: s.dim }));
  return rows.length === 0 ? "" : table([head, ...rows]);
}

/** Orphaned volumes, which are still billed. */
function volumeTable({ volumes }: StatusReport, s: Style): string {
  const rows = (volumes ?? []).map(({ name, size, phase, claim }): (string | Cell)[] => [
    { text: `! ${name}`, paint: s.warn },
    size,
    phase,
    claim,
  ]);
  const head = ["Volumes without a claim", "size", "phase", "was of"].map((text) => ({ text, paint: s.dim }));
  return rows.length === 0
    ? ""
    : `${table([head, ...rows])}${bullets([
        "the cloud bills them: kubectl delete pv <name>, and the disk itself in the cloud, whose id kubectl get pv <name> -o yaml shows",
      ])}`;
}

function hasMore({ problems, events, log, state }: ModelStatus): boolean {
  return problems.length > 0 || events.length > 0 || log !== null || state === "absent";
}

function details({ name, state, problems, events, log }: ModelStatus, s: Style): string {
  const lines = [
    ...(state === "absent" ? ["  nothing of it is in the cluster: pulumi up makes it\n"] : []),
    ...problems.map((problem) => problemText(undefined, problem, s)),
    ...(events.length > 0 ? [s.dim("  last warnings\n")] : []),
    ...events.map(({ at, object, reason, message }) =>
      block(wrap(`- ${at ?? "?"} ${object}: ${reason}: ${message}`, WIDTH, "  ")),
    ),
    ...(log === null
      ? []
      : [s.dim(`  log of ${log.pod}, ${log.container}${log.previous ? ", before it ended" : ""}\n`)]),
    ...(log?.lines ?? []).map((line) => `  │ ${line}\n`),
  ];
  return `${paintOf(state, s)(`${MARKS[state]} ${name}`)}\n${lines.join("")}`;
}

function problemText(namespace: string | undefined, { what, why, remedies }: StatusProblem, s: Style): string {
  const subject = namespace === undefined ? what : `${namespace}: ${what}`;
  return `${block(wrap(`${subject}: ${why}`, WIDTH, "  ").map((line) => s.bad(line)))}${bullets(remedies)}`;
}

/** Groups first, as clients call them. */
function calls({ models, groups }: StatusReport, s: Style): string {
  const first = [...groups, ...models].find(
    ({ state, curl }) => (state === "ready" || state === "degraded") && curl !== null,
  );
  return first?.curl ? `${s.dim(`Try ${first.name}; the calls of all are in --json:`)}\n${first.curl}\n` : "";
}

function bullets(texts: readonly string[]): string {
  return texts.map((text) => block(wrap(`- ${text}`, WIDTH, "    "))).join("");
}

function block(lines: readonly string[]): string {
  return lines.map((each) => `${each}\n`).join("");
}

function paintOf(state: State, s: Style): (text: string) => string {
  if (state === "ready") {
    return s.good;
  }
  if (state === "failing" || state === "absent") {
    return s.bad;
  }
  return state === "stopped" || state === "asleep" || state === "outside" ? s.dim : s.warn;
}
