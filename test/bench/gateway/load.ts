import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { percentile } from "../control/percentile";

/** One way to the same answer. */
export interface Way {
  readonly name: string;
  /** With `ca`: over TLS. */
  readonly to: RequestOptions & { readonly ca?: string; readonly servername?: string };
}

/** What one round of requests took. */
export interface LoadRound {
  readonly perSecond: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  /** Median until the first byte of the answer's body. */
  readonly firstByteSeconds: number;
}

/** One answer, in seconds since its request. */
interface Timing {
  readonly firstByte: number;
  readonly end: number;
}

/**
 * Sends so many requests over so many connections, each as soon as the one before it on its connection is answered.
 *
 * @throws Error for any answer but 200.
 */
export async function load(
  way: Way,
  body: Buffer,
  { requests, connections }: { readonly requests: number; readonly connections: number },
): Promise<LoadRound> {
  const timings: Timing[] = [];
  let left = requests;
  const client = clientOf(way, connections);
  const began = performance.now();
  try {
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (left > 0) {
          left -= 1;
          timings.push(await client.ask(body));
        }
      }),
    );
  } finally {
    client.close();
  }
  const seconds = (performance.now() - began) / 1000;
  const ends = timings.map(({ end }) => end);
  return {
    perSecond: timings.length / seconds,
    p50Seconds: percentile(ends, 50),
    p99Seconds: percentile(ends, 99),
    firstByteSeconds: percentile(
      timings.map(({ firstByte }) => firstByte),
      50,
    ),
  };
}

/** Opens so many requests, each on a connection of its own, and leaves them without an answer until they are ended. */
export function hold(way: Way, body: Buffer, count: number): { end(): Promise<void> } {
  const client = clientOf(way, count);
  const answers = Array.from({ length: count }, () => client.ask(body));
  return {
    end: async () => {
      await Promise.all(answers);
      client.close();
    },
  };
}

function clientOf({ name, to }: Way, connections: number): { ask(body: Buffer): Promise<Timing>; close(): void } {
  const isTls = to.ca !== undefined;
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: connections });
  const send = isTls ? requestHttps : requestHttp;
  const ask = (body: Buffer) =>
    new Promise<Timing>((resolve, reject) => {
      const began = performance.now();
      const since = () => (performance.now() - began) / 1000;
      let firstByte: number | undefined;
      const headers = { ...to.headers, "content-type": "application/json", "content-length": body.length };
      const sent = send({ ...to, method: "POST", agent, headers }, (response) => {
        const refused: Buffer[] = [];
        response.on("data", (chunk: Buffer) => {
          firstByte ??= since();
          if (response.statusCode !== 200) {
            refused.push(chunk);
          }
        });
        response.once("error", reject);
        response.once("end", () => {
          if (response.statusCode === 200) {
            resolve({ firstByte: firstByte ?? since(), end: since() });
          } else {
            reject(
              new Error(`${name}: ${response.statusCode} ${Buffer.concat(refused).toString("utf8").slice(0, 300)}`),
            );
          }
        });
      });
      sent.once("error", reject);
      sent.end(body);
    });
  return { ask, close: () => agent.destroy() };
}
