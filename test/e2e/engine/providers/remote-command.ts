import type { CommandRun, CommandState } from "./command";
import { dial, type SshConnection } from "./ssh/connection";
import type { EngineLog } from "./ssh/engine-log";
import { type Printed, runRemotely } from "./ssh/run";

const NOT_ACCEPTED = "This only works if your SSH server is configured to accept these variables via AcceptEnv.";

/** `command:remote:Command`: over SSH, on a real server. */
export function remoteCommand(log: EngineLog): CommandRun {
  return async (urn, command, state) => {
    const { connection, stdin, environment } = state as CommandState & { readonly connection: SshConnection };
    const told: Promise<void>[] = [];
    const client = await dial(connection, (message) => told.push(log.status(urn, message)));
    try {
      return await runRemotely(
        client,
        { command, ...(stdin && { stdin }), ...(environment && { environment }), wishes: previousOutput(state) },
        {
          onStdout: (text) => shows(state, "stdout") && told.push(...lines(text).map((line) => log.status(urn, line))),
          onStderr: (text) => shows(state, "stderr") && told.push(...lines(text).map((line) => log.status(urn, line))),
          onRefused: (name, isWish) => {
            told.push(log[isWish ? "warning" : "error"](urn, `Unable to set '${name}'. ${NOT_ACCEPTED}`));
          },
        },
      );
    } finally {
      await Promise.all(told);
      client.end();
    }
  };
}

function shows({ logging = "stdoutAndStderr" }: CommandState, stream: keyof Printed): boolean {
  return logging === stream || logging === "stdoutAndStderr";
}

/** What the run before printed, for the next one. */
function previousOutput({
  addPreviousOutputInEnv = true,
  stdout,
  stderr,
}: CommandState): Readonly<Record<string, string>> {
  return addPreviousOutputInEnv
    ? { ...(stdout && { PULUMI_COMMAND_STDOUT: stdout }), ...(stderr && { PULUMI_COMMAND_STDERR: stderr }) }
    : {};
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
