import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureGrowth } from "./growth";
import { bundleTable, plannerGrowthTable, programGrowthTable, runnerTable } from "./report";
import { compareRunners, ENVIRONMENT, measureBundle } from "./runners";
import { formatTable } from "./table";

const USAGE = `Usage: npm run bench -- [options]

Measures the plan of ${ENVIRONMENT} side by side with the same program through other runners, its growth with the
number of models, and the bundle. Times of other machines and moments do not compare: read the ratios.

  --rounds N         measurements of each runner, default 5
  --growth-rounds N  measurements of each number of models, default 1
  --json FILE        also write all measurements, in seconds and bytes
  --help             this text
`;

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      rounds: { type: "string", default: "5" },
      "growth-rounds": { type: "string", default: "1" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const rounds = positive("--rounds", values.rounds);
  const growthRounds = positive("--growth-rounds", values["growth-rounds"]);
  const progress = (text: string) => void process.stderr.write(`${text}\n`);

  const bundle = await measureBundle(rounds, progress);
  const runners = await compareRunners(rounds, progress);
  const growth = await measureGrowth(growthRounds, progress);

  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
  const tables = [
    runnerTable(ENVIRONMENT, runners),
    programGrowthTable(growth),
    plannerGrowthTable(growth),
    bundleTable(bundle, runners[0]?.rounds ?? []),
  ];
  const heading = `Node ${machine.node}, ${machine.cores} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB`;
  process.stdout.write(`${[heading, ...tables.map(formatTable)].join("\n\n")}\n`);
  if (values.json !== undefined) {
    const date = new Date().toISOString();
    writeFileSync(
      resolve(values.json),
      `${JSON.stringify({ date, machine, environment: ENVIRONMENT, runners, growth, bundle }, undefined, 2)}\n`,
    );
    progress(`wrote ${values.json}`);
  }
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new Error(`${option} is ${JSON.stringify(text)}; it takes a whole number from 1`);
  }
  return value;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
