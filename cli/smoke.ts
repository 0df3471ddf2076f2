/** `npm run smoke`: checks a running platform from outside. */
import { type CommandIo, EXIT } from "./io";
import { Progress } from "./progress";
import { readSmokeArguments, SMOKE_OPTIONS, SMOKE_USAGE } from "./smoke/arguments";
import { smokeJson, smokeText, stepLine } from "./smoke/report";
import { hasFailed } from "./smoke/result";
import { type SmokeObserver, smoke } from "./smoke/run";

export const options = SMOKE_OPTIONS;

/** Runs the command; returns its exit status and never throws for bad input or for what fails outside. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const args = readSmokeArguments(argv);
  if (args === "help") {
    io.out(SMOKE_USAGE);
    return EXIT.ok;
  }
  if ("problems" in args) {
    io.err(`${args.problems.join("\n")}\n\n${SMOKE_USAGE}`);
    return EXIT.badInput;
  }
  const report = await smoke(args, io.draw ? onTerminal(io) : inLog(io));
  io.out(args.json ? smokeJson(report) : smokeText(report, io.color));
  return hasFailed(report) ? EXIT.refused : EXIT.ok;
}

/** One line that is drawn over; the table tells the rest. */
function onTerminal(io: CommandIo): SmokeObserver {
  let line: Progress | undefined;
  return {
    started: (step) => {
      line = new Progress(io, step, 300);
    },
    progress: (_, what) => line?.update(what),
    ended: () => line?.stop(),
  };
}

/** Seconds between two lines about the same step. */
const LOG_SECONDS = 5;

/** A line for each step that ends, and now and then one about a step that takes long. */
function inLog(io: CommandIo): SmokeObserver {
  let next = 0;
  return {
    started: () => {
      next = performance.now() + LOG_SECONDS * 1000;
    },
    progress: (step, what) => {
      if (performance.now() < next) {
        return;
      }
      next = performance.now() + LOG_SECONDS * 1000;
      io.err(`… ${step}: ${what}\n`);
    },
    ended: (result) => io.err(stepLine(result)),
  };
}
