import { type Style, style, table } from "../../report/style";
import { hasFailed, type SmokeReport, type StepResult, type StepStatus } from "./result";

const MARKS: Readonly<Record<StepStatus, string>> = { passed: "✓", failed: "✗", skipped: "–", "not applicable": "–" };

export function smokeText(report: SmokeReport, color: boolean): string {
  const s = style(color);
  const { url, model, lifecycle, notes, steps } = report;
  const title = [s.bold("inference-stacks smoke"), url, ...(model === undefined ? [] : [model])].join(" · ");
  const said = [...(lifecycle === undefined ? [] : [`Pull and unload: through ${lifecycle}`]), ...notes];
  const rows = steps.map((step, index) => [
    `${index + 1}/${steps.length}`,
    { text: step.name, paint: s.bold },
    { text: `${MARKS[step.status]} ${step.status}`, paint: paintOf(step.status, s) },
    { text: ran(step) ? `${step.seconds.toFixed(1)} s` : "", align: "right" as const },
    // Failures follow in full; rows stay one line.
    step.failure === undefined ? step.detail : "see below",
  ]);
  return [
    `${title}\n`,
    said.map((line) => `${s.dim(line)}\n`).join(""),
    `\n${table(rows)}\n`,
    ...steps.map((step) => failure(step, s)),
    `${summary(steps, s)}\n`,
  ].join("");
}

/** A finished step, for logs during the check. */
export function stepLine({ name, status, seconds }: StepResult): string {
  return `${MARKS[status]} ${name}: ${status}${ran({ status }) ? ` after ${seconds.toFixed(1)} s` : ""}\n`;
}

export function smokeJson(report: SmokeReport): string {
  return `${JSON.stringify({ passed: !hasFailed(report), ...report }, null, 2)}\n`;
}

function failure({ name, failure }: StepResult, s: Style): string {
  if (failure === undefined) {
    return "";
  }
  const lines = table([
    ["  expected", failure.expected],
    ["  got", failure.got],
    ["  look at", failure.lookAt],
  ]);
  return `${s.bad(`✗ ${name}`)}\n${lines}\n`;
}

function summary(steps: readonly StepResult[], s: Style): string {
  const counts = (["passed", "failed", "skipped", "not applicable"] as const).flatMap((status) => {
    const count = steps.filter((step) => step.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return (hasFailed({ steps }) ? s.bad : s.good)(counts.join(" · "));
}

function ran({ status }: Pick<StepResult, "status">): boolean {
  return status === "passed" || status === "failed";
}

function paintOf(status: StepStatus, s: Style): (text: string) => string {
  if (status === "passed") {
    return s.good;
  }
  return status === "failed" ? s.bad : s.dim;
}
