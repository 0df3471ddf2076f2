import { doctorCommand, upCommand } from "../../report/next-step";
import { type Style, style, WIDTH, wrap } from "../../report/style";
import { type CheckStatus, type DoctorReport, STATUSES } from "./result";

type Row = DoctorReport["checks"][number];

const MARKS: Readonly<Record<CheckStatus, string>> = {
  passed: "✓",
  warning: "!",
  failed: "✗",
  unknown: "?",
  "not asked": "–",
};

/** A table, then what to do. */
export function doctorText(report: DoctorReport, color: boolean, config?: string): string {
  const s = style(color);
  const { environment, cluster, checks, seconds } = report;
  const where = cluster === null ? "no cluster asked" : `${cluster.server} (context ${cluster.context})`;
  return [
    `${s.bold(`inference-stacks doctor · ${environment}`)} · ${where} · ${seconds.toFixed(1)} s\n`,
    tableOf(checks, s),
    ...checks.filter(({ remedies }) => remedies.length > 0).map((row) => remediesOf(row, s)),
    `${summary(report, s)}\n${next(report, config)}`,
  ].join("\n");
}

/** Findings wrap next to their titles. */
function tableOf(checks: readonly Row[], s: Style): string {
  const widest = Math.max(0, ...checks.map(({ title }) => title.length));
  const indent = " ".repeat(2 + widest + 2);
  return checks
    .map(({ title, status, found }) => {
      const [first = "", ...rest] = wrap(found, WIDTH, indent);
      const paint = paintOf(status, s);
      const head = `${MARKS[status]} ${title.padEnd(widest)}  `;
      return [`${paint(head)}${first.slice(indent.length)}`, ...rest].map((line) => `${line.trimEnd()}\n`).join("");
    })
    .join("");
}

function remediesOf({ title, status, needed, remedies }: Row, s: Style): string {
  const paint = paintOf(status, s);
  const lines = [
    ...wrap(`needed: ${needed}`, WIDTH, "  "),
    ...remedies.flatMap((remedy) => wrap(`- ${remedy}`, WIDTH, "  ")),
  ];
  return `${paint(`${MARKS[status]} ${title}`)}\n${lines.map((line) => `${line}\n`).join("")}`;
}

function summary({ checks, ok }: DoctorReport, s: Style): string {
  const counts = STATUSES.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return (ok ? s.good : s.bad)(counts.join(" · "));
}

function next({ ok, environment, checks }: DoctorReport, config: string | undefined): string {
  if (!ok) {
    return `Fix what is marked ✗, then: ${doctorCommand(environment, config)}\n`;
  }
  const open = checks.some(({ status }) => status === "unknown") ? " (look yourself at what is marked ?)" : "";
  return `Next: ${upCommand(environment, config)}${open}\n`;
}

function paintOf(status: CheckStatus, s: Style): (text: string) => string {
  if (status === "passed") {
    return s.good;
  }
  if (status === "failed") {
    return s.bad;
  }
  return status === "not asked" ? s.dim : s.warn;
}
