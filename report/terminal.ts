import { correctFirst, nextSteps } from "./next-step";
import { isDeployable, type PlanResult } from "./result";
import { type Style, style } from "./style";
import { explanation } from "./terminal/explanation";
import { externalModels } from "./terminal/external-models";
import { findings } from "./terminal/findings";
import { models } from "./terminal/models";
import { pools } from "./terminal/pools";
import { serverGroups } from "./terminal/server-groups";
import { totals } from "./terminal/totals";
import { componentTree, resourceTree } from "./terminal/tree";

export interface TerminalOptions {
  readonly color: boolean;
  /** Say why each model fits, and what the published rules would have said. */
  readonly explain: boolean;
  /** Print the components, or every resource below its component. */
  readonly tree: "none" | "components" | "resources";
}

const REFUSALS_PAGE = "docs/refusals.md";

/** Refusals, plan, advice, next step. */
export function terminalReport(result: PlanResult, options: TerminalOptions): string {
  const s = style(options.color);
  const { plan, resources, violations } = result;
  const sections = [
    `${s.bold(`inference-stacks · ${plan.environment}`)} · plan in ${result.seconds.toFixed(1)} s\n`,
    findings(violations, "mandatory", s),
    models(plan, s),
    externalModels(plan.externalModels, s),
    serverGroups(plan, s),
    options.explain ? explanation(plan.models, s) : "",
    pools(plan, result.cluster, s),
    totals(result, s),
    findings(violations, "advisory", s),
    options.tree === "components" ? componentTree(resources) : "",
    options.tree === "resources" ? resourceTree(resources) : "",
    next(result, s),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function next(result: PlanResult, s: Style): string {
  if (!isDeployable(result)) {
    return `${s.bad("Not deployable.")} Fix what is marked ✗ and plan again; ${REFUSALS_PAGE} explains each rule.\n`;
  }
  const first = correctFirst(result).map(({ policy, resource }) => `First: correct ${resource} (${policy}, above)\n`);
  return `${s.warn(first.join(""))}Next: ${nextSteps(result).join(`\n${" ".repeat(6)}`)}\n`;
}
