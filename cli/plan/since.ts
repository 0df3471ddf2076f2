/** `npm run plan -- <environment> --since FILE`: differences to an earlier plan. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { renderedEnvironment, renderedPlan } from "../../render/folder";
import { planDifference } from "../../report/plan-difference";
import { type PlanDigest, planDigest } from "../../report/plan-digest";
import type { PlanJson } from "../../report/result";
import { lineOf } from "../io";
import type { Problem } from "../read-environment";

/**
 * A file of `plan --json`, or a rendered folder's plan.
 *
 * @param environment to compare with; folders of others are refused.
 */
export function earlierPlan(path: string, environment: string): PlanDigest | Problem {
  const asked = "--since takes a file that plan --json wrote, or a rendered folder";
  try {
    const isFolder = statSync(resolve(path)).isDirectory();
    const rendered = isFolder ? renderedEnvironment(resolve(path)) : undefined;
    if (rendered !== undefined && rendered !== environment) {
      return {
        problem: `--since ${path} was rendered from ${JSON.stringify(rendered)}, not ${JSON.stringify(environment)}: name the folder of ${environment}`,
      };
    }
    const plan = isFolder
      ? renderedPlan(resolve(path))
      : planDigest.safeParse(JSON.parse(readFileSync(resolve(path), "utf8"))).data;
    return plan ?? { problem: `${path} holds no plan: ${asked}` };
  } catch (error) {
    return { problem: `${path} cannot be read: ${lineOf(error)}; ${asked}` };
  }
}

export function sinceText(environment: string, before: PlanDigest, after: PlanJson): string {
  const lines = planDifference(before, planDigest.parse(after));
  return `inference-stacks plan · ${environment} · what differs\n\n${lines.length === 0 ? "nothing: same models, replicas, machines and cost" : lines.join("\n")}\n`;
}
