import type { Client, ClientChannel } from "ssh2";

/** What a command printed, each without one newline at its end. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

export interface RemoteRun {
  readonly command: string;
  readonly stdin?: string;
  /** The server must take these: AcceptEnv. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The server may take these; without, the command runs all the same. */
  readonly wishes?: Readonly<Record<string, string>>;
}

export interface Listener {
  readonly onStdout: (text: string) => void;
  readonly onStderr: (text: string) => void;
  /** A variable that the server refused. */
  readonly onRefused: (name: string, isWish: boolean) => void;
}

/**
 * Runs one command as pulumi-command 1.2.1 does (provider/pkg/provider/remote/commandOutputs.go, read 2026-11-23).
 *
 * @throws Error with what it printed, in the words of that provider and of Go's x/crypto/ssh 0.48 (session.go).
 */
export async function runRemotely(client: Client, run: RemoteRun, listener: Listener): Promise<Printed> {
  const { channel, exit, closed } = await start(client, run, listener);
  let stdout = "";
  let stderr = "";
  let both = "";
  channel.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    both += chunk.toString();
    listener.onStdout(chunk.toString());
  });
  channel.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    both += chunk.toString();
    listener.onStderr(chunk.toString());
  });
  // A command that reads only part of its input, or none, is not an error.
  channel.on("error", () => undefined);
  channel.end(run.stdin ?? "");
  await closed;
  const failure = exit.failure;
  if (failure !== undefined) {
    throw new Error(`${failure}: running ${JSON.stringify(run.command)}:\n${both}`);
  }
  return { stdout: stdout.replace(/\n$/, ""), stderr: stderr.replace(/\n$/, "") };
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, PIPE: 13, TERM: 15 };

function exitText(status: number | null, signal?: string): string {
  if (status !== null) {
    return `Process exited with status ${status}`;
  }
  const name = signal?.replace(/^SIG/, "") ?? "";
  return `Process exited with status ${128 + (SIGNAL_NUMBERS[name] ?? 0)} from signal ${name}`;
}

/** What ssh2 1.17 has and does not tell: variables are set without asking for an answer. */
interface Internals {
  readonly _protocol: {
    env: (channel: number, name: string, value: string, wantReply: boolean) => void;
    exec: (channel: number, command: string, wantReply: boolean) => void;
  };
  readonly _chanMgr: { readonly _channels: Readonly<Record<string, OpenChannel>> };
}

interface OpenChannel {
  readonly outgoing?: { readonly id: number };
  readonly _callbacks: ((refused: boolean) => void)[];
}

interface Started {
  readonly channel: ClientChannel;
  /** What the command ended with, once it is closed; undefined: well. */
  readonly exit: { readonly failure: string | undefined };
  readonly closed: Promise<void>;
}

/** The end of a quick command may come with the answer that it was started: who listens a moment later misses it. */
function followed(channel: ClientChannel): Started {
  const exit: { failure: string | undefined } = {
    failure: "wait: remote command exited without exit status or exit signal",
  };
  channel.on("exit", (status: number | null, signal?: string) => {
    exit.failure = status === 0 ? undefined : exitText(status, signal);
  });
  return { channel, exit, closed: new Promise((resolve) => channel.once("close", () => resolve())) };
}

/** Starts the command once the server has answered for every variable. */
function start(
  client: Client,
  { command, environment = {}, wishes = {} }: RemoteRun,
  listener: Listener,
): Promise<Started> {
  const { _protocol: protocol, _chanMgr: channels } = client as unknown as Internals;
  const asked: Promise<string | undefined>[] = [];
  const { env, exec } = protocol;
  return new Promise((resolve, reject) => {
    protocol.env = (id, name, value) => {
      const channel = Object.values(channels._channels).find(({ outgoing }) => outgoing?.id === id);
      asked.push(
        new Promise((answered) => channel?._callbacks.push((refused) => answered(refused ? name : undefined))),
      );
      env.call(protocol, id, name, value, true);
    };
    protocol.exec = (id, text, wantReply) => {
      void Promise.all(asked).then((answers) => {
        const refused = answers.filter((name) => name !== undefined);
        for (const name of refused) {
          listener.onRefused(name, !Object.hasOwn(environment, name));
        }
        const missing = refused.find((name) => Object.hasOwn(environment, name));
        if (missing !== undefined) {
          reject(new Error(`could not set environment variable ${JSON.stringify(missing)}: ssh: setenv failed`));
          return;
        }
        exec.call(protocol, id, text, wantReply);
      });
    };
    client.exec(command, { env: { ...wishes, ...environment } }, (error, channel) => {
      if (error) {
        reject(error);
      } else {
        resolve(followed(channel));
      }
    });
  });
}
