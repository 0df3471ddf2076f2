/** Models with several replicas behind the real gateway: who of them answers which request. */
import { Agent, request } from "node:https";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import type { StandIn } from "../../../rehearsal/cluster/gateway/stand-ins";
import { waitFor } from "../../../rehearsal/cluster/wait";

/** Header of an answer that names the replica. */
const REPLICA = "x-replica";

/** Connections that a test holds at a time. */
const CONNECTIONS = 8;

export interface Call {
  readonly path: string;
  /** The body's `model`. @default a GET */
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  /** Who answered; the status where nobody did. */
  readonly replica: string;
  readonly setCookie: readonly string[];
}

/** Plays replicas of a model, by name: `<backend>-<number>`. Their answers are chat completions. */
export async function startReplicas(
  stand: GatewayStand,
  backend: string,
  count: number,
): Promise<ReadonlyMap<string, StandIn>> {
  const standIns = new Map<string, StandIn>();
  for (let number = 0; number < count; number += 1) {
    const name = `${backend}-${number}`;
    const body = completion(backend, name);
    standIns.set(
      name,
      await stand.serve(backend, (asked, response) => {
        asked
          .resume()
          .on("end", () => response.setHeader("content-type", "application/json").setHeader(REPLICA, name).end(body));
      }),
    );
  }
  return standIns;
}

/**
 * Until every cluster of the models' routes has this many replicas that are well, at all proxies. Start replicas before proxies:
 * what was not well when Envoy first asked is asked again after a minute where nobody uses the cluster.
 */
export async function untilHealthy(stand: GatewayStand, models: readonly string[], count: number): Promise<void> {
  await waitFor(`${count} replicas of ${models.join(" and ")}`, async () => {
    const filter = `(model|path)-(${models.join("|")})/rule/.*membership_(healthy|total)`;
    const all = await Promise.all(stand.proxies.map((proxy) => proxy.stats(filter)));
    const isReady = (stats: ReadonlyMap<string, number>) =>
      stats.size > 0 && [...stats.values()].every((value) => value === count);
    return all.every(isReady) || undefined;
  });
}

/** Sends many calls, a few at a time, and says who answered each. */
export async function answersOf(
  stand: GatewayStand,
  calls: readonly Call[],
  proxy: GatewayProxy | undefined = stand.proxies[0],
): Promise<Answer[]> {
  if (proxy === undefined) {
    throw new Error("the stand has no proxy");
  }
  const key = await stand.key("default");
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const options = { ...connectionOptions(proxy, stand), agent };
  try {
    return await Promise.all(
      calls.map(({ path, model, headers = {} }) => {
        const body =
          model === undefined ? undefined : JSON.stringify({ model, messages: [{ role: "user", content: "?" }] });
        return new Promise<Answer>((resolve, reject) => {
          const sent = request(
            {
              ...options,
              path,
              method: body === undefined ? "GET" : "POST",
              headers: {
                host: stand.hostname,
                authorization: `Bearer ${key}`,
                ...(body !== undefined && {
                  "content-type": "application/json",
                  "content-length": Buffer.byteLength(body),
                }),
                ...headers,
              },
            },
            (response) => {
              const { [REPLICA]: replica = String(response.statusCode), "set-cookie": setCookie = [] } =
                response.headers;
              response.resume().once("end", () => resolve({ replica: String(replica), setCookie }));
            },
          );
          sent.once("error", reject);
          sent.end(body);
        });
      }),
    );
  } finally {
    agent.destroy();
  }
}

/** An answer in OpenAI's shape. */
export function completion(model: string, content: string): string {
  return JSON.stringify({
    id: content,
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}

/** How many of the answers each gave. */
export function countsOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { replica } of answers) {
    counts[replica] = (counts[replica] ?? 0) + 1;
  }
  return counts;
}

/** Chat by the body's `model`. */
export function chat(model: string, headers: Readonly<Record<string, string>> = {}): Call {
  return { path: "/v1/chat/completions", model, headers };
}

/** The same by the model's own path. */
export function chatByPath(model: string, headers: Readonly<Record<string, string>> = {}): Call {
  return { path: `/${model}/v1/chat/completions`, model, headers };
}
