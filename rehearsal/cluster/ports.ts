import { createServer, type Server } from "node:net";

/** Below ephemeral port ranges: Linux from 32768, others from 49152. */
const FIRST = 10_240;
const COUNT = 20_000;

/** A prime, so neighbouring process ids start far apart. */
const STRIDE = 7_919;

/** Consecutive taken ports after which the search fails. */
const MOST_TAKEN = 1_000;

let given = 0;

/**
 * Free loopback ports. Not kernel-assigned ones, which any connection may take before the server
 * starts.
 *
 * @throws Error when nearly all ports are taken.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  try {
    for (let taken = 0; ports.length < count; ) {
      const port = FIRST + ((process.pid * STRIDE + given++) % COUNT);
      const server = await listen(port);
      if (server !== undefined) {
        servers.push(server);
        ports.push(port);
        taken = 0;
      } else if (++taken >= MOST_TAKEN) {
        throw new Error(`${taken} ports from ${FIRST} on are taken: find the program that listens there`);
      }
    }
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
  return ports;
}

/** @returns undefined when the port is taken. */
function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") {
        resolve(undefined);
      } else {
        reject(error);
      }
    });
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
