import { closeSync, openSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { CommandIo } from "../../cli/io";
import { messageOf } from "../../names/message-of";
import { type Extent, SMALL, USUAL } from "./extent";
import { GROUPS } from "./groups";
import { measureGroup } from "./measure-group";
import { formatTable } from "./table";

const USAGE = `Usage: npm run bench -- [group…] [options]

Measures alternatives side by side in one run. Times of other machines and moments do not compare: read the ratios.

  plan     the plan of an environment beside other runners of the same program; its growth; the bundle; layouts that
           are held to a service level in a second
  engine   the real Pulumi engine beside kubectl on a real API server; growth of a deployment with its resources
  control  the model control API beside the same questions asked of a real Ollama, and prompts answered by tasks
  gateway  the real gateway beside the engine behind it: what Envoy, its key check and the AI gateway's filter add
  node     an inference node beside its engine alone: answers per second, time to the first byte; fails past its limits
  families parameters of every causal language model family beside exact counts; fails where the planner's are off
  speed    the speed model beside published measurements, models and cards left out of the fit; fails where the errors pass
           their bars. With --rows: predictions for other rows, each with its band of 80 %
  memory   the memory planner beside start-up logs of vLLM: errors by class, what the interval covers, and what each
           laboratory, card generation and release carries
  court    "npm run model" beside public accounts of starts and failures of vLLM: what it answers to each

All groups are measured unless some are named. "engine", "control", "gateway" and "node" need real parts: npm run e2e:setup
What cannot be measured makes the command fail, after the other groups.

  --small            one round (three for limits), without the largest sizes: whether all can still be measured
  --rounds N         measurements of each alternative, default 5
  --growth-rounds N  measurements of each size, default 1
  --json [FILE]      also write all measurements, in seconds and bytes; without a file, to standard output
  --rows FILE        memory: start-ups in the place of the tests' own, columns as in test/fixtures/vllm-measured.csv;
                     speed: measurements to predict, columns as in test/bench/speed/measured.csv;
                     court: cases, columns as in test/fixtures/vllm-court.csv, and "config", the path of a config.json
  --configs DIR      memory, court: configurations of models beyond the catalogue's, as DIR/owner--name/config.json
  --help             this text

Exit status: 0 measured, 1 a group found what must not be, or could not be measured, 2 a mistake in the options
`;

/** What a user typed, or named, cannot be measured with. */
class WrongInput extends Error {}

/** @throws WrongInput for options that there are not. */
function readArguments(argv: readonly string[]) {
  try {
    return parse(argv);
  } catch (error) {
    throw new WrongInput(messageOf(error));
  }
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: withJsonTarget(argv),
    allowPositionals: true,
    options: {
      small: { type: "boolean", default: false },
      rounds: { type: "string" },
      "growth-rounds": { type: "string" },
      json: { type: "string" },
      rows: { type: "string" },
      configs: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
}

type Io = Pick<CommandIo, "out" | "err">;

/** `npm run bench -- …argv`. @returns the exit status. */
export async function main(argv: string[], io: Io): Promise<number> {
  try {
    return await measure(argv, io);
  } catch (error) {
    io.err(`${messageOf(error)}\n`);
    return error instanceof WrongInput ? 2 : 1;
  }
}

/** @returns the exit status: 1 where a group found what must not be. @throws WrongInput */
async function measure(argv: string[], io: Io): Promise<number> {
  const { values, positionals } = readArguments(argv);
  if (values.help) {
    io.out(USAGE);
    return 0;
  }
  const usual = values.small ? SMALL : USUAL;
  const rounds = positive("--rounds", values.rounds);
  const extent: Extent = {
    ...usual,
    ...(rounds !== undefined && { comparisons: rounds, verdicts: rounds }),
    growth: positive("--growth-rounds", values["growth-rounds"]) ?? usual.growth,
  };
  const unknown = positionals.filter((name) => !Object.hasOwn(GROUPS, name));
  if (unknown.length > 0) {
    throw new WrongInput(`there is no group ${unknown.join(", ")}; groups: ${Object.keys(GROUPS).join(", ")}`);
  }
  if (values.json !== undefined && values.json !== STANDARD_OUTPUT) {
    requireWritable(values.json);
  }
  const asked = Object.entries(GROUPS).filter(([name]) => positionals.length === 0 || positionals.includes(name));

  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
  // Standard output is the JSON's alone where no file takes it.
  const write = values.json === STANDARD_OUTPUT ? io.err : io.out;
  write(`Node ${machine.node}, ${machine.cores} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB\n`);
  const measurements: Record<string, object> = {};
  const failures: string[] = [];
  let answer: readonly object[] | undefined;
  for (const [name, load] of asked) {
    const progress = (text: string) => io.err(`${name}: ${text}\n`);
    const measured = await measureGroup(
      name,
      () => load({ rows: values.rows, configs: values.configs }),
      extent,
      progress,
    );
    for (const table of measured.tables) {
      write(`\n${formatTable(table)}\n`);
    }
    measurements[name] = measured.measurements;
    answer = asked.length === 1 ? measured.answer : undefined;
    failures.push(...measured.failures);
  }
  if (values.json !== undefined) {
    const json = `${JSON.stringify(answer ?? { date: new Date().toISOString(), machine, ...measurements }, undefined, 2)}\n`;
    if (values.json === STANDARD_OUTPUT) {
      io.out(json);
    } else {
      writeFileSync(resolve(values.json), json);
      io.err(`wrote ${values.json}\n`);
    }
  }
  for (const failure of failures) {
    io.err(`${failure}\n`);
  }
  return failures.length > 0 ? 1 : 0;
}

const STANDARD_OUTPUT = "-";

/** Before minutes of measuring. @throws WrongInput */
function requireWritable(path: string): void {
  try {
    closeSync(openSync(resolve(path), "a"));
  } catch (error) {
    throw new WrongInput(`--json ${path} cannot be written: ${messageOf(error)}`);
  }
}

/** `--json` without a file means standard output. */
function withJsonTarget(argv: readonly string[]): string[] {
  return argv.map((argument, index) => {
    const next = argv[index + 1];
    return argument === "--json" && (next === undefined || next.startsWith("--"))
      ? `--json=${STANDARD_OUTPUT}`
      : argument;
  });
}

function positive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new WrongInput(`${option} is ${JSON.stringify(text)}; it takes a whole number from 1`);
  }
  return value;
}
