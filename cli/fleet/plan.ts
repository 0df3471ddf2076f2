/** `fleet plan`: plans of all nodes side by side. */
import type { CommandIo } from "../io";
import { Progress } from "../progress";
import { allProblems, type ComposedNode } from "./compose";
import type { OpenedFleet } from "./open";
import type { DoJobs } from "./pool";
import { FLEET_SCHEMA_VERSION, type FleetPlan, type PlannedNode, type Verdict } from "./result";
import type { Job, Outcome, Task } from "./work";

export interface WorkOptions {
  readonly workers: number;
  readonly secondsPerNode: number;
  readonly doJobs: DoJobs;
}

/** Never throws for a node's mistakes. */
export async function planFleet(
  { fleet, nodes }: OpenedFleet,
  options: WorkOptions,
  io: CommandIo,
): Promise<Omit<FleetPlan, "seconds">> {
  const progress = new Progress(io, `planning ${fleet.fileName}`);
  const planned = new Map<string, PlannedNode>();
  try {
    await workOn("plan", fleet.folder, nodes, options, (node, outcome, done) => {
      planned.set(node.name, plannedNode(node, outcome));
      progress.update(`${done} of ${nodes.length} nodes`);
    });
  } finally {
    progress.stop();
  }
  const all = nodes.flatMap(({ name }) => planned.get(name) ?? []);
  return {
    schemaVersion: FLEET_SCHEMA_VERSION,
    fleet: fleet.fileName,
    ok: all.every(({ verdict }) => verdict === "deployable"),
    totals: totalsOf(all),
    nodes: all,
  };
}

/**
 * Runs a task for each valid node in workers.
 *
 * @param onOutcome receives every node with the count of finished ones; invalid nodes with problems
 * only.
 */
export async function workOn(
  task: Task,
  baseDirectory: string,
  nodes: readonly ComposedNode[],
  { workers, secondsPerNode, doJobs }: WorkOptions,
  onOutcome: (node: ComposedNode, outcome: Outcome, done: number) => void,
): Promise<void> {
  let done = 0;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const jobs = nodes.flatMap(({ name, text, fileName }): Job[] =>
    text === undefined ? [] : [{ task, name, text, fileName, baseDirectory }],
  );
  for (const node of nodes.filter(({ text }) => text === undefined)) {
    done += 1;
    onOutcome(node, { kind: "problems", problems: [] }, done);
  }
  await doJobs(jobs, {
    workers,
    secondsPerJob: secondsPerNode,
    onOutcome: ({ name }, outcome) => {
      const node = byName.get(name);
      if (node) {
        done += 1;
        onOutcome(node, outcome, done);
      }
    },
  });
}

/** Mistakes of a node before and during the run, as one list. */
export function problemsOf(
  node: ComposedNode,
  outcome: Outcome,
): Pick<PlannedNode, "name" | "extends" | "file" | "problems" | "failure" | "notes"> {
  const { name, extends: base, fileState, notes } = node;
  const imports = outcome.kind === "planned" ? outcome.imports : [];
  const isTold = outcome.kind === "mistake" || outcome.kind === "failed";
  return {
    name,
    ...(base !== undefined && { extends: base }),
    file: fileState,
    problems: allProblems(node, outcome.kind === "problems" ? outcome.problems : []),
    ...(isTold && { failure: outcome.message }),
    notes: [
      ...notes,
      ...(imports.length > 0
        ? [`imports ${imports.join(", ")} from Pulumi ESC, which only Pulumi opens: their values are missing here`]
        : []),
    ],
  };
}

function plannedNode(node: ComposedNode, outcome: Outcome): PlannedNode {
  const shared = problemsOf(node, outcome);
  return {
    ...shared,
    verdict: verdictOf(shared.problems.length, outcome),
    ...(outcome.kind === "planned" && { resources: outcome.resources, plan: outcome.plan }),
  };
}

function verdictOf(problems: number, outcome: Outcome): Verdict {
  if (outcome.kind === "failed") {
    return "failed";
  }
  if (problems > 0 || outcome.kind !== "planned") {
    return "bad-input";
  }
  return outcome.plan.deployable ? "deployable" : "refused";
}

function totalsOf(nodes: readonly PlannedNode[]): FleetPlan["totals"] {
  const of = (verdict: Verdict) => nodes.filter((node) => node.verdict === verdict).length;
  const plans = nodes.flatMap(({ plan }) => plan ?? []);
  const sum = (amount: (plan: (typeof plans)[number]) => number) =>
    Number(plans.reduce((total, plan) => total + amount(plan), 0).toFixed(2));
  return {
    nodes: nodes.length,
    deployable: of("deployable"),
    refused: of("refused"),
    badInput: of("bad-input"),
    failed: of("failed"),
    models: sum(({ models }) => models.length),
    machines: sum(machinesOf),
    monthlyUsd: sum(({ cost }) => cost.monthlyUsd),
    maxMonthlyUsd: sum(({ cost }) => cost.maxMonthlyUsd),
  };
}

/** Machines that always run. */
export function machinesOf({ pools }: Pick<NonNullable<PlannedNode["plan"]>, "pools">): number {
  return pools.reduce((total, { minNodes }) => total + minNodes, 0);
}
