import { createConnection } from "node:net";
import { Redis as Client } from "ioredis";
import { freePorts } from "../../../../rehearsal/cluster/ports";
import { requirePart } from "../../../../rehearsal/parts/find";
import { ServerProcess } from "./server-process";

export interface Redis {
  /** `redis://127.0.0.1:PORT`, without the password. */
  readonly url: string;
  /** Stops, kills and starts it again; written data stays until `stop`. */
  readonly process: ServerProcess;
  readonly stop: () => Promise<void>;
}

/** Runs `work` with a connection of its own. */
export async function withClient<T>({ url }: Pick<Redis, "url">, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Deletes what replicas that were killed held of workers: whoever comes next would wait until it has expired. */
export async function dropLeases(redis: Pick<Redis, "url">): Promise<void> {
  await withClient(redis, async (client) => {
    const leases = await client.keys("*:lease");
    await Promise.all(leases.map((lease) => client.del(lease)));
  });
}

/** Starts a real Redis on a free loopback port that writes every change to its disk and evicts nothing. */
export async function startRedis({
  password,
  maxMemory,
}: {
  readonly password?: string;
  readonly maxMemory?: string;
} = {}): Promise<Redis> {
  const [port = 0] = await freePorts(1);
  const settings = { bind: "127.0.0.1", port: String(port), save: "", appendonly: "yes", appendfsync: "always" };
  const process = await ServerProcess.start((folder) => ({
    command: requirePart("redis-server"),
    args: Object.entries({
      ...settings,
      dir: folder,
      "maxmemory-policy": "noeviction",
      ...(password === undefined ? {} : { requirepass: password }),
      ...(maxMemory === undefined ? {} : { maxmemory: maxMemory }),
    }).flatMap(([key, value]) => [`--${key}`, value]),
    ready: () => answersPing(port),
  }));
  return { url: `redis://127.0.0.1:${port}`, process, stop: () => process.stop() };
}

/** Loading its data, Redis answers "-LOADING"; asked for a password, it has loaded. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: "127.0.0.1", port });
    socket.once("connect", () => socket.write("PING\r\n"));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(/^(\+PONG|-NOAUTH)/.test(String(data)));
    });
    socket.once("error", reject);
  });
}
