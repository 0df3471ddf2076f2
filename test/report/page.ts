import type { ModelPlan } from "../../planner/types";
import type { PlanResult } from "../../report/result";
import { planResult } from "./html.fixture";

const VOID_ELEMENTS = new Set(["meta", "br", "wbr"]);
const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z][\w-]*(?:="[^"<>]*")?)*)\s*>/g;

/** Problems of nesting and stray markup; attributes must be quoted. */
export function malformations(page: string): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  const body = page.replace("<!doctype html>", "").replace(/(<style>)[^<]*(<\/style>)/, "$1$2");
  for (const [, slash, name = ""] of body.matchAll(TAG)) {
    if (slash === "/") {
      const expected = open.pop();
      if (expected !== name) {
        problems.push(`</${name}> closes <${expected}>`);
      }
    } else if (!VOID_ELEMENTS.has(name)) {
      open.push(name);
    }
  }
  const text = body.replace(TAG, "");
  if (/[<>]/.test(text)) {
    problems.push(`stray markup near ${text.slice(Math.max(0, text.search(/[<>]/) - 40)).slice(0, 80)}`);
  }
  if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(body)) {
    problems.push("an ampersand is not escaped");
  }
  const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1]);
  if (new Set(ids).size < ids.length) {
    problems.push("an id occurs twice");
  }
  return [...problems, ...open.map((name) => `<${name}> stays open`)];
}

/** What a reader sees, without tags; blanks as one space. */
export function visibleText(page: string): string {
  return page
    .replace(/<style>[^<]*<\/style>/, "")
    .replace(/<wbr>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

/** The result of a plan with other models. */
export function withModels(models: readonly ModelPlan[]): PlanResult {
  return { ...planResult, plan: { ...planResult.plan, models } };
}
