import { style } from "../../../report/style";
import { smokeText } from "../report";
import type { SmokeReport } from "../result";
import type { Unasked } from "./targets";

export interface StackSmokeReport {
  readonly environment: string;
  /** `starting`: no problem, but not all checked. */
  readonly outcome: "checked" | "starting" | "failed";
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly unasked: readonly Unasked[];
  readonly checks: readonly SmokeReport[];
}

export function stackSmokeText(report: StackSmokeReport, color: boolean): string {
  const s = style(color);
  const { environment, outcome, problems, notes, unasked, checks } = report;
  return [
    ...checks.map((check) => smokeText(check, color)),
    ...problems.map((problem) => `${s.bad("✗")} ${problem}\n`),
    ...notes.map((note) => `${note}\n`),
    ...unasked.map(({ model, why }) => `– ${model} is not asked: ${why}\n`),
    ...(outcome === "checked" ? [] : [`Check again: npm run smoke -- ${environment}\n`]),
    ...(outcome === "failed" ? [`What runs: npm run status -- ${environment}\n`] : []),
  ].join("");
}

export function stackSmokeJson(report: StackSmokeReport): string {
  return `${JSON.stringify({ passed: report.outcome !== "failed", ...report }, undefined, 2)}\n`;
}
