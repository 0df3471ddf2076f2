/** `npm run try`: from a clone to a first token on this computer. */
import { projectRoot } from "../names/project-root";
import { type CommandIo, EXIT } from "./io";
import { readTryArguments, TRY_OPTIONS, TRY_USAGE } from "./try/arguments";
import { Trial } from "./try/trial";

export const options = TRY_OPTIONS;

/** Exit status. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const args = readTryArguments(argv);
  if (args === "help") {
    io.out(TRY_USAGE);
    return EXIT.ok;
  }
  if ("problem" in args) {
    io.err(`${args.problem}\n\n${TRY_USAGE}`);
    return EXIT.badInput;
  }
  const trial = new Trial(projectRoot(), process.env, io);
  return args.remove ? trial.remove() : trial.run(args);
}
