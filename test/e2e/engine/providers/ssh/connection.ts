import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnyAuthMethod,
  Client,
  type ConnectConfig,
  type NextAuthHandler,
  type ParsedKey,
  type ServerHostKeyAlgorithm,
  utils,
} from "ssh2";
import { messageOf } from "../../../../../names/message-of";

/** How a machine is reached: what `connection` of a command says, once the SDK put its defaults in. */
export interface SshConnection {
  readonly host: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly privateKeyPassword?: string;
  readonly agentSocketPath?: string;
  readonly hostKey?: string;
  /** Failed tries before it gives up; one more is made than this says. -1: no limit. */
  readonly dialErrorLimit?: number;
  /** Seconds until the machine must have answered; 0: any time. */
  readonly perDialTimeout?: number;
}

/** Waits between tries, as Pulumi's SDK for Go has them (common/util/retry): milliseconds, and how they grow. */
const WAIT = { first: 100, factor: 1.5, most: 5_000 } as const;

/**
 * Logs in to a machine as pulumi-command 1.2.1 does (provider/pkg/provider/remote/connection.go) and says what it says when
 * that fails: the texts are those of Go's x/crypto/ssh 0.48 (client_auth.go, client.go, common.go, keys.go). Read 2026-11-23.
 *
 * @param say told of every try that failed.
 * @throws Error when a key is none, at once; and after the last try.
 */
export async function dial(connection: SshConnection, say: (message: string) => void): Promise<Client> {
  const login = loginOf(connection);
  const limit = connection.dialErrorLimit ?? 10;
  for (let failed = 1, wait: number = WAIT.first; ; failed++, wait = Math.min(wait * WAIT.factor, WAIT.most)) {
    try {
      return await dialOnce(connection, login);
    } catch (error) {
      const message = messageOf(error);
      if (limit > -1 && failed > limit) {
        throw new Error(`after ${failed - 1} failed attempts: ${message}`);
      }
      say(`Dial ${failed}/${limit === -1 ? "inf" : limit} failed: retrying`);
      await sleep(wait);
    }
  }
}

/** What a client shows, in the order in which it tries. */
interface Login {
  readonly user: string;
  readonly methods: readonly AnyAuthMethod[];
  readonly hostKey: ParsedKey | undefined;
}

function loginOf({
  user = "root",
  privateKey,
  privateKeyPassword,
  password,
  agentSocketPath,
  hostKey,
}: SshConnection): Login {
  const methods: AnyAuthMethod[] = [];
  if (privateKey !== undefined) {
    methods.push({ type: "publickey", username: user, key: parseKey(privateKey, privateKeyPassword) });
  }
  if (password !== undefined) {
    methods.push({ type: "password", username: user, password });
    methods.push({
      type: "keyboard-interactive",
      username: user,
      prompt: (_name, _instructions, _lang, prompts, finish) => finish(prompts.map(() => password)),
    });
  }
  const agent = agentSocketPath ?? (process.env.SSH_AUTH_SOCK || undefined);
  if (agent !== undefined) {
    methods.push({ type: "agent", username: user, agent });
  }
  return { user, methods, hostKey: hostKey === undefined ? undefined : parseHostKey(hostKey) };
}

function parseKey(text: string, passphrase: string | undefined): ParsedKey {
  const key = utils.parseKey(text, passphrase);
  if (!(key instanceof Error)) {
    return Array.isArray(key) ? key[0] : key;
  }
  if (/no passphrase given/.test(key.message)) {
    throw new Error("ssh: this private key is passphrase protected");
  }
  throw new Error(/passphrase/.test(key.message) ? "x509: decryption password incorrect" : "ssh: no key found");
}

function parseHostKey(text: string): ParsedKey {
  const key = utils.parseKey(text);
  if (key instanceof Error) {
    throw new Error("failed to parse host key: ssh: no key found");
  }
  return Array.isArray(key) ? key[0] : key;
}

async function dialOnce(connection: SshConnection, login: Login): Promise<Client> {
  const sock = await dialTcp(connection);
  const client = new Client();
  // Of more errors than one the first is told; what comes after a log-in ends the session, which tells of it.
  client.on("error", () => undefined);
  sock.on("error", () => undefined);
  const handshake = new Handshake(login);
  try {
    await new Promise<void>((resolve, reject) => {
      client.once("ready", resolve);
      client.once("error", reject);
      client.once("close", () => reject(new Error("EOF")));
      client.connect({ sock, ...handshake.config });
    });
  } catch (error) {
    client.destroy();
    throw new Error(`ssh: handshake failed: ${handshake.explain(error as Error)}`);
  }
  return client;
}

/** What went wrong, as Go's client names it. */
class Handshake {
  private readonly tried: string[] = [];
  private mismatch = false;
  private offered = "";

  constructor(private readonly login: Login) {}

  get config(): ConnectConfig {
    const { hostKey } = this.login;
    return {
      username: this.login.user,
      readyTimeout: 0,
      authHandler: (methodsLeft, _partial, next) => this.next(methodsLeft, next),
      debug: (message) => {
        this.offered = /^Handshake: \(remote\) Host key format: (.*)$/.exec(message)?.[1] ?? this.offered;
      },
      ...(hostKey && {
        // Only this kind of key, as the algorithm of its own name: for ssh-rsa, which is SHA-1, new servers have none.
        algorithms: { serverHostKey: [hostKey.type as ServerHostKeyAlgorithm] },
        hostVerifier: (shown: Buffer) => {
          this.mismatch = !shown.equals(hostKey.getPublicSSH());
          return !this.mismatch;
        },
      }),
    };
  }

  explain({ message }: Error): string {
    const { hostKey } = this.login;
    if (this.mismatch) {
      return "ssh: host key mismatch";
    }
    if (/no matching host key format/.test(message)) {
      const peer = this.offered.split(",").join(" ");
      return `ssh: no common algorithm for host key; we offered: [${hostKey?.type}], peer offered: [${peer}]`;
    }
    if (/authentication methods failed/.test(message)) {
      return `ssh: unable to authenticate, attempted methods [${this.tried.join(" ")}], no supported methods remain`;
    }
    return message;
  }

  /** Each kind of login once: with a private key the agent's keys, which are of the same kind, are never tried. */
  private next(methodsLeft: readonly string[] | null, next: NextAuthHandler): void {
    if (methodsLeft === null) {
      this.tried.push("none");
      next({ type: "none", username: this.login.user });
      return;
    }
    const method = this.login.methods.find(
      ({ type }) => methodsLeft.includes(protocolName(type)) && !this.tried.includes(protocolName(type)),
    );
    if (method !== undefined) {
      this.tried.push(protocolName(method.type));
    }
    // false: there is nothing else to try. The types of ssh2 1.15 leave it out.
    next(method ?? (false as unknown as AnyAuthMethod));
  }
}

function protocolName(type: AnyAuthMethod["type"]): string {
  return type === "agent" ? "publickey" : type;
}

function dialTcp({ host, port = 22, perDialTimeout = 15 }: SshConnection): Promise<Socket> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(`dial tcp${why}`));
    };
    if (perDialTimeout > 0) {
      socket.setTimeout(perDialTimeout * 1000, () => fail(` ${address}: i/o timeout`));
    }
    socket.once("error", (error: NodeJS.ErrnoException) => fail(reason(error, host, address)));
    socket.once("connect", () => {
      socket.setTimeout(0).removeAllListeners("timeout").removeAllListeners("error");
      resolve(socket);
    });
  });
}

const CONNECT_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};

function reason({ code = "", message }: NodeJS.ErrnoException, host: string, address: string): string {
  return code === "ENOTFOUND"
    ? `: lookup ${host}: no such host`
    : ` ${address}: connect: ${CONNECT_ERRORS[code] ?? message}`;
}
