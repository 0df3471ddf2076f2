import { type CommandIo, EXIT, processIo } from "./io";

type Command = (argv: string[], io: CommandIo) => Promise<number>;

/** Commands by name; each is loaded only when it runs. */
const COMMANDS: Readonly<Record<string, () => Promise<{ main: Command }>>> = {
  plan: () => import("./plan"),
  model: () => import("./model"),
  render: () => import("./render"),
  rehearse: () => import("./rehearse"),
  smoke: () => import("./smoke"),
};

/** Runs one command as the process's main program. A crash is ours, not the user's: it exits with 70. */
export async function run(argv: string[]): Promise<void> {
  const [name = "", ...args] = argv;
  const io = processIo();
  endWithReader(process.stdout);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    io.err(`there is no command "${name}"; commands: ${Object.keys(COMMANDS).join(", ")}\n`);
    process.exitCode = EXIT.badInput;
    return;
  }
  try {
    const { main } = await load();
    process.exitCode = await main(args, io);
  } catch (error) {
    io.err(
      `this is a bug in inference-stacks, please report it:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 70;
  }
}

/** A reader that has seen enough (`| head`) is no error: what remains is not written, and the status stays. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") {
      throw error;
    }
  });
}
