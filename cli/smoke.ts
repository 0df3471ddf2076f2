/** `npm run smoke`: checks a running platform from outside. */
import { type CommandIo, EXIT } from "./io";
import { readSmokeArguments, SMOKE_OPTIONS, SMOKE_USAGE } from "./smoke/arguments";
import { observer } from "./smoke/observers";
import { smokeJson, smokeText } from "./smoke/report";
import { hasFailed } from "./smoke/result";
import { smoke } from "./smoke/run";

export const options = SMOKE_OPTIONS;

/** Exit status; never throws for bad input or outside failures. */
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
  if ("environment" in args) {
    // Plans the environment, which checks by address do not need.
    const { smokeOfStack } = await import("./smoke/stack/check");
    return smokeOfStack(args, io);
  }
  const report = await smoke(args, observer(io));
  io.out(args.json ? smokeJson(report) : smokeText(report, io.color));
  return hasFailed(report) ? EXIT.refused : EXIT.ok;
}
