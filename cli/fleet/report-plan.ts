import type { ReportedViolation } from "../../report/result";
import { type Cell, type Style, style, table, usd, WIDTH, wrap } from "../../report/style";
import { findings } from "../../report/terminal/findings";
import { someOf } from "../cluster/foreign-text";
import type { FleetCommands } from "./commands";
import { machinesOf } from "./plan";
import { problemText } from "./report-problems";
import type { FleetPlan, PlannedNode, Verdict } from "./result";

const MARKS: Readonly<Record<Verdict, string>> = { deployable: "✓", refused: "✗", "bad-input": "✗", failed: "✗" };
const WORDS: Readonly<Record<Verdict, string>> = {
  deployable: "deployable",
  refused: "refused",
  "bad-input": "bad input",
  failed: "no plan",
};

/** A line per node, sums, then problems by node. */
export function fleetPlanText(report: FleetPlan, commands: FleetCommands, color: boolean): string {
  const s = style(color);
  const { fleet, nodes, seconds } = report;
  const head = `inference-stacks fleet · ${fleet}`;
  return [
    `${s.bold(head)} · ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"} planned in ${seconds.toFixed(1)} s\n`,
    nodeTable(nodes, s),
    totals(report, commands, s),
    ...nodes.map((node) => troubles(node, s)),
    ...advice(nodes, commands, s),
    next(report, commands, s),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function nodeTable(nodes: readonly PlannedNode[], s: Style): string {
  const right = (text: string): Cell => ({ text, align: "right" });
  const rows = nodes.map(({ name, verdict, plan, extends: base = "", ...node }): (string | Cell)[] => {
    const paint = verdict === "deployable" ? s.good : s.bad;
    return [
      { text: `${MARKS[verdict]} ${name}`, paint },
      { text: WORDS[verdict], paint },
      base,
      right(plan ? `${plan.models.length}` : ""),
      right(plan ? `${machinesOf(plan)}` : ""),
      right(plan ? usd(plan.cost.monthlyUsd) : ""),
      right(plan ? usd(plan.cost.maxMonthlyUsd) : ""),
      right(countText(problemsIn({ ...node, verdict, ...(plan && { plan }) }))),
      right(countText((plan?.violations ?? []).filter(({ severity }) => severity === "advisory").length)),
    ];
  });
  const titles = ["Nodes", "verdict", "extends"];
  const numbers = ["models", "machines", "$/month", "at most", "problems", "advice"];
  const head = [
    ...titles.map((text) => ({ text, paint: s.dim })),
    ...numbers.map((text) => ({ ...right(text), paint: s.dim })),
  ];
  return table([head, ...rows]);
}

/** Problems that forbid a node's deployment. */
function problemsIn({
  problems,
  failure,
  plan,
}: Pick<PlannedNode, "problems" | "failure" | "plan" | "verdict">): number {
  return problems.length + (failure === undefined ? 0 : 1) + mandatory(plan).length;
}

function mandatory(plan: PlannedNode["plan"]): readonly ReportedViolation[] {
  return (plan?.violations ?? []).filter(({ severity }) => severity === "mandatory");
}

function countText(count: number): string {
  return count === 0 ? "" : `${count}`;
}

function totals({ totals: sums, nodes, fleet }: FleetPlan, commands: FleetCommands, s: Style): string {
  const parts = [
    `${sums.deployable} deployable`,
    ...(sums.refused > 0 ? [`${sums.refused} refused`] : []),
    ...(sums.badInput > 0 ? [`${sums.badInput} with bad input`] : []),
    ...(sums.failed > 0 ? [`${sums.failed} without a plan`] : []),
  ];
  const isPart = sums.deployable + sums.refused < sums.nodes;
  const cost = `${usd(sums.monthlyUsd)} USD/month, at most ${usd(sums.maxMonthlyUsd)}`;
  const stale = nodes.filter(({ file }) => file === "outdated").map(({ name }) => name);
  return [
    `${s.bold("Fleet")}  ${parts.join(" · ")} · ${sums.models} models on ${sums.machines} machines · ${cost}${isPart ? ", of the nodes that have a plan" : ""}\n`,
    ...(stale.length > 0
      ? [
          `${s.warn("!")} files older than ${fleet}: ${someOf(stale, 5)}. pulumi up takes what they hold: ${commands.write}\n`,
        ]
      : []),
  ].join("");
}

function troubles(node: PlannedNode, s: Style): string {
  const { name, verdict, problems, failure, plan, notes } = node;
  const refusals = findings(mandatory(plan), "mandatory", s);
  if (problems.length === 0 && failure === undefined && refusals === "" && notes.length === 0) {
    return "";
  }
  const mark = verdict === "deployable" ? s.warn(`! ${name}`) : s.bad(`✗ ${name}`);
  return [
    `${s.bold(mark)}\n`,
    ...problems.map((problem, index) => problemText(problem, index + 1, s)),
    ...(failure === undefined ? [] : [`${failure.replace(/^/gm, "  ")}\n`]),
    refusals.replace(/^(?=.)/gm, "  "),
    ...notes.map((note) => `${wrap(`- ${note}`, WIDTH, "  ").join("\n")}\n`),
  ].join("");
}

/** Each advice once with its nodes: nodes with the same base get the same. */
function advice(nodes: readonly PlannedNode[], commands: FleetCommands, s: Style): string[] {
  const told = new Map<string, { readonly violation: ReportedViolation; readonly names: string[] }>();
  for (const { name, plan, extends: base } of nodes) {
    for (const violation of plan?.violations ?? []) {
      if (violation.severity === "advisory") {
        const general = anyNode(atSource(violation, name, base, commands), name);
        const key = JSON.stringify([general.policy, general.resource, general.message]);
        const known = told.get(key) ?? { violation: general, names: [] };
        known.names.push(name);
        told.set(key, known);
      }
    }
  }
  return [...told.values()].map(({ violation, names }) => {
    const [only] = names;
    const shown = names.length === 1 && only !== undefined ? forNode(violation, only) : violation;
    const whom = names.length === nodes.length && names.length > 1 ? "all nodes" : someOf(names, 5);
    return `${findings([shown], "advisory", s)}${s.dim(`  for ${whom}`)}\n`;
  });
}

/** Redirects a command from the node's file to the inherited one. */
function atSource(
  violation: ReportedViolation,
  name: string,
  base: string | undefined,
  commands: FleetCommands,
): ReportedViolation {
  return base === undefined
    ? violation
    : { ...violation, message: violation.message.replace(`npm run pin -- ${name}`, commands.pin(base)) };
}

const ANY_NODE = "<node>";

/** Without the environment's name, to compare nodes. */
function anyNode(violation: ReportedViolation, name: string): ReportedViolation {
  // A name has no regex syntax.
  const pattern = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "g");
  return {
    ...violation,
    resource: violation.resource.replace(pattern, ANY_NODE),
    message: violation.message.replace(pattern, ANY_NODE),
  };
}

function forNode(violation: ReportedViolation, name: string): ReportedViolation {
  return {
    ...violation,
    resource: violation.resource.replaceAll(ANY_NODE, name),
    message: violation.message.replaceAll(ANY_NODE, name),
  };
}

function next({ ok, nodes }: FleetPlan, commands: FleetCommands, s: Style): string {
  if (!ok) {
    return `${s.bad("Not every node is deployable.")} Fix what is marked ✗ and plan again; the others do not wait for it.\n`;
  }
  const unwritten = nodes.some(({ file }) => file !== "current");
  const up = commands.pulumi("up", nodes[0]?.name ?? "");
  return unwritten ? `Next: ${commands.write}, then ${up}\n` : `Next: ${up}\n`;
}
