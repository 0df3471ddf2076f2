/** `npm run fleet`: many nodes from one file. */
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "../names/project-root";
import { suggest } from "../stacks/config/core/problems";
import { LIMITS, type Limits } from "./cluster/cluster-api";
import { fleetCommands } from "./fleet/commands";
import { FLEET_FILE_DEFAULT, MOST_WORKERS, NODES_PER_WORKER, SECONDS_PER_NODE } from "./fleet/defaults";
import { type OpenedFleet, openFleet } from "./fleet/open";
import { planFleet, type WorkOptions } from "./fleet/plan";
import { type DoJobs, doAll } from "./fleet/pool";
import { fleetPlanText } from "./fleet/report-plan";
import { WORKER_FLAG } from "./fleet/work";
import { type CommandIo, EXIT, lineOf } from "./io";
import type { Problem } from "./read-environment";

const ACTIONS = ["plan", "status", "write"] as const;
type Action = (typeof ACTIONS)[number];

const USAGE = `Usage: npm run fleet -- <${ACTIONS.join(" | ")}> [FILE] [options]

Many nodes from one file, each an environment of its own that inherits another (docs/fleet.md). FILE is the ${FLEET_FILE_DEFAULT} next to Pulumi.yaml unless named.

  plan     plan every node, on all cores: a line for each, the sums, then what is wrong, node by node
  status   ask every node's cluster what runs there; a node that gives no answer holds up no other
  write    write each node's Pulumi.<node>.yaml next to FILE, so that pulumi up -s <node> works; secrets in them stay

  --node NAME        this node alone; may be given several times
  --kubeconfigs DIR  status: a kubeconfig for each node, DIR/<node>.yaml, instead of cluster.kubeContext
  --workers N        plan, status: processes at once (default: one for each core)
  --timeout SECONDS  how long a node's plan, or its cluster's answer, may take (default: ${SECONDS_PER_NODE.plan}, ${SECONDS_PER_NODE.status})
  --json             machine-readable (docs/fleet-json.md)
  -h, --help         this text

Exit status: 0 every node is deployable, answers, or is written; 1 some are not; 2 bad input, in any node: the others are still
reported; 70 a bug in inference-stacks.
`;

export const options = {
  node: { type: "string", multiple: true },
  kubeconfigs: { type: "string" },
  workers: { type: "string" },
  timeout: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Arguments {
  readonly action: Action;
  readonly file: string;
  readonly nodes: readonly string[];
  readonly kubeconfigs: string | undefined;
  /** @default by cores and nodes */
  readonly workers: number | undefined;
  readonly seconds: number | undefined;
  readonly json: boolean;
}

export interface FleetMeans {
  readonly doJobs: DoJobs;
  /** Of each cluster request. */
  readonly limits: Limits;
}

export async function main(
  argv: string[],
  io: CommandIo,
  means: FleetMeans = { doJobs: doAll, limits: LIMITS },
): Promise<number> {
  // Only this program starts it; a user has no parent process.
  if (argv[0] === WORKER_FLAG && process.send !== undefined) {
    const { serve } = await import("./fleet/worker");
    await serve(process);
    return EXIT.ok;
  }
  const started = performance.now();
  const args = readArguments(argv);
  if (args === "help") {
    io.out(USAGE);
    return EXIT.ok;
  }
  if ("problem" in args) {
    io.err(`${args.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  const opened = openFleet(args.file, args.nodes);
  if ("problem" in opened) {
    io.err(`${opened.problem}\n`);
    return EXIT.badInput;
  }
  return DO[args.action](opened, { ...args, ...means }, io, () => (performance.now() - started) / 1000);
}

/** Exit status. */
type Doing = (
  opened: OpenedFleet,
  args: Arguments & FleetMeans,
  io: CommandIo,
  seconds: () => number,
) => Promise<number>;

const DO: Readonly<Record<Action, Doing>> = {
  async plan(opened, args, io, seconds) {
    const report = { ...(await planFleet(opened, workOptions(opened, args), io)), seconds: seconds() };
    io.out(args.json ? jsonText(report) : fleetPlanText(report, fleetCommands(opened.fleet.file), io.color));
    const { failed, badInput, refused } = report.totals;
    return failed > 0 ? BUG : badInput > 0 ? EXIT.badInput : refused > 0 ? EXIT.refused : EXIT.ok;
  },

  async status(opened, args, io, seconds) {
    const { askFleet } = await import("./fleet/status");
    const { fleetStatusText } = await import("./fleet/report-status");
    const { kubeconfigs, limits } = args;
    const how = { ...workOptions(opened, args), kubeconfigs, limits, env: process.env };
    const report = { ...(await askFleet(opened, how, io)), seconds: seconds() };
    io.out(args.json ? jsonText(report) : fleetStatusText(report, io.color));
    const { failed, badInput } = report.totals;
    return failed > 0 ? BUG : badInput > 0 ? EXIT.badInput : report.ok ? EXIT.ok : EXIT.refused;
  },

  async write(opened, args, io) {
    const { fleetWritingText, writeFleet } = await import("./fleet/write");
    const report = writeFleet(opened);
    io.out(args.json ? jsonText(report) : fleetWritingText(report, fleetCommands(opened.fleet.file), io.color));
    return report.ok ? EXIT.ok : EXIT.badInput;
  },
};

/** As for any crash. */
const BUG = 70;

function workOptions(
  { nodes }: OpenedFleet,
  { action, workers, seconds, doJobs }: Arguments & FleetMeans,
): WorkOptions {
  const useful = Math.min(availableParallelism(), Math.ceil(nodes.length / NODES_PER_WORKER), MOST_WORKERS);
  return {
    workers: workers ?? Math.max(1, useful),
    secondsPerNode: seconds ?? SECONDS_PER_NODE[action === "status" ? "status" : "plan"],
    doJobs,
  };
}

function jsonText(report: object): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function readArguments(argv: string[]): Arguments | Problem | "help" {
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options });
    if (values.help) {
      return "help";
    }
    const [action = "", file = join(projectRoot(), FLEET_FILE_DEFAULT), ...rest] = positionals;
    if (!isAction(action)) {
      const told =
        action === ""
          ? "say what to do"
          : `fleet cannot ${JSON.stringify(action)}; ${suggest(action, ACTIONS, "it can")}`;
      return { problem: `${told}: ${ACTIONS.join(", ")}` };
    }
    if (rest.length > 0) {
      return {
        problem: `name one file, not ${rest.length + 1}; nodes are named with --node: ${[file, ...rest].join(", ")}`,
      };
    }
    const { kubeconfigs } = values;
    if (kubeconfigs !== undefined && !statSync(kubeconfigs, { throwIfNoEntry: false })?.isDirectory()) {
      return {
        problem: `--kubeconfigs ${kubeconfigs} is no folder: name one with a kubeconfig <node>.yaml for each node`,
      };
    }
    return {
      action,
      file,
      nodes: values.node ?? [],
      kubeconfigs,
      workers: wholeNumber("--workers", values.workers),
      seconds: wholeNumber("--timeout", values.timeout),
      json: values.json,
    };
  } catch (error) {
    return { problem: lineOf(error) };
  }
}

function isAction(word: string): word is Action {
  return (ACTIONS as readonly string[]).includes(word);
}

/** @throws Error with the allowed values. */
function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new Error(`${option} is ${JSON.stringify(text)}; it takes a whole number from 1 to 999999`);
  }
  return Number(text);
}
