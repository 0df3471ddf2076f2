/** A gateway of Envoy Gateway 1.9.0 that serves streams, and what its clients see while it is upgraded. */
import type { GatewayPrograms } from "../../../rehearsal/cluster/gateway/proxies";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { endpoint } from "../../components/gateway/fixture";
import { standOf } from "../../e2e/gateway/stand-of";
import { type ChatStream, chatStream } from "../../e2e/gateway/stream-client";
import { TokenEngine } from "../../e2e/gateway/token-engine";

const PATH = "/v1/chat/completions";
const TOKENS = 4;
/** Between two calls at each proxy. */
const EVERY_MS = 500;
/** Of a client; this machine is shared, and new proxies start meanwhile. */
const PATIENCE_MS = 15_000;
/** Envoy's counter of connections that found no certificate. */
const NOT_READY = "downstream_context_secrets_not_ready";

const before = (): GatewayPrograms => ({
  envoyGateway: requirePart("envoy-gateway-1.9.0"),
  envoy: requirePart("envoy-1.39.0"),
});
export const after = (): GatewayPrograms => ({
  envoyGateway: requirePart("envoy-gateway"),
  envoy: requirePart("envoy-1.39.3"),
});

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A request of a client on a new connection, with its TLS handshake. */
export interface Call {
  readonly proxy: string;
  /** Milliseconds since the watch began. */
  readonly at: number;
  /** What its client saw instead of an answer. */
  readonly failure: string | undefined;
}

/**
 * Makes new connections while something happens.
 *
 * @param proxies those that a load balancer would choose from now.
 */
export async function callsDuring(
  stand: GatewayStand,
  proxies: () => readonly GatewayProxy[],
  work: () => Promise<void>,
): Promise<readonly Call[]> {
  const began = Date.now();
  const underWay: Promise<Call>[] = [];
  const call = async (proxy: GatewayProxy) => {
    const at = Date.now() - began;
    return { proxy: proxy.name, at, failure: await failureOf(proxy, stand) };
  };
  const timer = setInterval(() => underWay.push(...proxies().map(call)), EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Promise.all(underWay);
}

async function failureOf(proxy: GatewayProxy, stand: GatewayStand): Promise<string | undefined> {
  const late = new Promise<string>((resolve) => setTimeout(resolve, PATIENCE_MS, "no answer").unref());
  const answered = stand.request({ path: "/v1/models", consumer: "default", proxy }).then(
    ({ status }) => (status === 200 ? undefined : String(status)),
    (error: Error) => error.message,
  );
  return Promise.race([answered, late]);
}

/** Streams that are under way at proxies, in both versions of HTTP. */
export class Streams {
  private constructor(
    private readonly engine: TokenEngine,
    private readonly streams: ReadonlyMap<string, ChatStream>,
  ) {}

  static async open(stand: GatewayStand, engine: TokenEngine, count: number): Promise<Streams> {
    const proxies = stand.proxies;
    const streams = new Map<string, ChatStream>();
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const [user, proxy] = [`stream ${index}`, proxies[index % proxies.length]];
        const http = index % 4 < 2 ? "HTTP/1.1" : "HTTP/2";
        streams.set(user, await chatStream(stand, { http, path: PATH, user, ...(proxy && { proxy }) }));
      }),
    );
    const refused = [...streams.values()].filter(({ status }) => status !== 200);
    if (refused.length > 0) {
      throw new Error(`${refused.length} of ${count} streams were refused, with ${refused[0]?.status}`);
    }
    return new Streams(engine, streams);
  }

  /** Answers each to its end. @returns how many clients read the whole of it. */
  async finish(): Promise<number> {
    const answers = [...this.streams].map(async ([user, stream]) => {
      let seen = 1;
      const text = await stream.read(() => (seen++ < TOKENS ? this.engine.stream(user).next() : undefined));
      return text.endsWith("data: [DONE]\n\n");
    });
    const whole = await Promise.all(answers.map((answer) => answer.catch(() => false)));
    return whole.filter(Boolean).length;
  }
}

/** A gateway of 1.9.0 with two proxies. */
export async function startBefore(): Promise<{ readonly stand: GatewayStand; readonly engine: TokenEngine }> {
  const stand = await standOf({ endpoints: [endpoint("assistant")] }, { proxies: 2, programs: before() });
  const engine = new TokenEngine(TOKENS);
  await stand.serve("assistant", engine.listener);
  await waitFor("the engine behind both proxies", async () => {
    const open = (proxy: GatewayProxy) =>
      chatStream(stand, { http: "HTTP/1.1", path: PATH, user: `probe of ${proxy.name}`, proxy });
    const streams = await Promise.all(stand.proxies.map(open));
    for (const stream of streams) {
      stream.leave();
    }
    return streams.every(({ status }) => status === 200) || undefined;
  });
  return { stand, engine };
}

/** Connections that found no certificate, since the proxy's start. */
export async function notReady(proxy: GatewayProxy): Promise<number> {
  const stats = await proxy.stats(NOT_READY);
  return [...stats].reduce((sum, [stat, value]) => (stat.startsWith("listener.") ? sum + value : sum), 0);
}
