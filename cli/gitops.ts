/** `npm run gitops`: moves a platform's objects out of a stack's state and back, offline. */
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { counted } from "../names/counted";
import { visible } from "../names/visible";
import { readTextFile } from "../stacks/config";
import { type MovedState, released, type StackState, stackState, takenBack } from "../stacks/gitops/state";
import { type CommandIo, EXIT, isFileSystemError, lineOf } from "./io";

const USAGE = `Usage: npm run gitops -- release --state FILE --out FILE
       npm run gitops -- take-back --state FILE --before FILE --out FILE

Moves a running platform between Pulumi and Argo CD (docs/gitops.md). Files are states, as pulumi stack export writes them;
no cluster and no stack is asked or changed.

  release        the state without the objects of the rendered folder: Pulumi forgets them, and deletes none
  take-back      the state with those objects, as they were before they were released

  --state FILE   the stack's state now
  --before FILE  its state from before the release
  --out FILE     file to write, which must not exist: for pulumi stack import
  --help         this text

Exit status: 0 written, 1 nothing to move or the state is not settled, 2 bad input.
`;

export const options = {
  state: { type: "string" },
  before: { type: "string" },
  out: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Arguments {
  readonly command: "release" | "take-back";
  readonly state: string;
  readonly before: string | undefined;
  readonly out: string;
}

interface Problem {
  readonly problem: string;
}

/** Exit status. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const parsed = readArguments(argv);
  if (parsed === "help") {
    io.out(USAGE);
    return EXIT.ok;
  }
  if ("problem" in parsed) {
    io.err(`${parsed.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  const state = readState(parsed.state);
  const before = parsed.before === undefined ? undefined : readState(parsed.before);
  const unread = [state, before].flatMap((each) => (each !== undefined && "problem" in each ? [each.problem] : []));
  if ("problem" in state || (before !== undefined && "problem" in before)) {
    io.err(`${unread.join("\n")}\n`);
    return EXIT.badInput;
  }
  return write(parsed, before === undefined ? released(state) : takenBack(state, before), state, io);
}

function write({ command, state: file, out }: Arguments, { state, moved }: MovedState, now: StackState, io: CommandIo) {
  const pending = now.deployment.pending_operations?.length ?? 0;
  if (pending > 0) {
    io.err(
      `${visible(file)}: ${counted(pending, "operation")} of the stack did not end. Run pulumi up or pulumi refresh first, and export again.\n`,
    );
    return EXIT.refused;
  }
  if (moved.length === 0) {
    io.err(
      command === "release"
        ? `${visible(file)}: no object of the rendered folder is in the state. It was released before, or the stack has no platform.\n`
        : `${visible(file)}: every object of the rendered folder that --before has is in the state.\n`,
    );
    return EXIT.refused;
  }
  try {
    // Secrets in it are encrypted, addresses and names are not: owner-readable only.
    writeFileSync(out, `${JSON.stringify(state, undefined, 4)}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (isFileSystemError(error)) {
      io.err(`cannot write ${visible(out)}: ${error.message}\n`);
      return EXIT.badInput;
    }
    throw error;
  }
  io.out(
    `${counted(moved.length, "object")} ${command === "release" ? "released" : "taken back"}; ${counted(state.deployment.resources.length, "resource")} in ${visible(out)}\n\nNext: pulumi stack import --file ${visible(out)} (docs/gitops.md)\n`,
  );
  return EXIT.ok;
}

function readArguments(argv: string[]): Arguments | Problem | "help" {
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options });
    const { state, before, out, help } = values;
    const [command, ...more] = positionals;
    if (help) {
      return "help";
    }
    if ((command !== "release" && command !== "take-back") || more.length > 0) {
      return { problem: `${JSON.stringify(positionals.join(" "))} is no command: write release, or take-back` };
    }
    if (!state || !out) {
      return { problem: `${state ? "--out" : "--state"} FILE is missing` };
    }
    if ((command === "take-back") !== (before !== undefined)) {
      return { problem: before === undefined ? "--before FILE is missing" : "release takes no --before" };
    }
    if (existsSync(out)) {
      return { problem: `--out ${visible(out)} exists: name a new file` };
    }
    return { command, state, before, out: resolve(out) };
  } catch (error) {
    return { problem: lineOf(error) };
  }
}

function readState(file: string): StackState | Problem {
  try {
    const read = stackState.safeParse(JSON.parse(readTextFile(resolve(file))));
    return read.success
      ? read.data
      : { problem: `${visible(file)} is no state: it must be what pulumi stack export writes` };
  } catch (error) {
    return { problem: `cannot read ${visible(file)}: ${lineOf(error)}` };
  }
}
