/** A gateway of Envoy Gateway 1.9.0 that serves streams, and what its clients see while it is upgraded. */
import { connect } from "node:tls";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { GatewayPrograms } from "../../../rehearsal/cluster/gateway/proxies";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { type ChatStream, chatStream } from "../../e2e/gateway/stream-client";
import { TokenEngine } from "../../e2e/gateway/token-engine";
import { programRun } from "../../stacks/run";

const PATH = "/v1/chat/completions";
const TOKENS = 4;
/** Between two handshakes with each proxy. */
const EVERY_MS = 500;
const PATIENCE_MS = 2_000;
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

/** A new connection of a client, with its TLS handshake. */
export interface Handshake {
  readonly proxy: string;
  /** Milliseconds since the watch began. */
  readonly at: number;
  readonly succeeds: boolean;
}

/** New connections to proxies, one after the other to each, until it is told to end. */
export class Watch {
  readonly handshakes: Handshake[] = [];
  private readonly began = Date.now();
  private readonly underWay: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;

  /** @param proxies those that a load balancer would choose from now. */
  constructor(stand: GatewayStand, proxies: () => readonly GatewayProxy[]) {
    const shake = async (proxy: GatewayProxy) => {
      const at = Date.now() - this.began;
      this.handshakes.push({ proxy: proxy.name, at, succeeds: await succeeds(proxy, stand) });
    };
    this.timer = setInterval(() => this.underWay.push(...proxies().map(shake)), EVERY_MS);
  }

  async end(): Promise<readonly Handshake[]> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
    return this.handshakes;
  }
}

async function succeeds(proxy: GatewayProxy, stand: GatewayStand): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(connectionOptions(proxy, stand));
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PATIENCE_MS, () => settle(false));
    socket.once("secureConnect", () => settle(true)).once("error", () => settle(false));
    socket.once("close", () => settle(false));
  });
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
    return new Streams(engine, streams);
  }

  /** Answers each to its end. @returns how many clients read the whole of it. */
  async finish(): Promise<number> {
    const answers = [...this.streams].map(async ([user, stream]) => {
      let seen = 1;
      const text = await stream.read(() => (seen++ < TOKENS ? this.engine.stream(user).next() : undefined));
      return stream.status === 200 && text.endsWith("data: [DONE]\n\n");
    });
    const whole = await Promise.all(answers.map((answer) => answer.catch(() => false)));
    return whole.filter(Boolean).length;
  }
}

/** The gateway of `dev`, of 1.9.0, with two proxies. */
export async function startBefore(): Promise<{ readonly stand: GatewayStand; readonly engine: TokenEngine }> {
  const stand = await GatewayStand.start((await programRun("dev")).resources, { proxies: 2, programs: before() });
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

/** Adds a line to every certificate of the Gateway, so that the controller sends it once more. */
export async function touchCertificates(stand: GatewayStand): Promise<void> {
  const secrets = await stand.client.list("v1", "Secret");
  const tls = secrets.filter(
    ({ metadata, type }) => metadata.namespace === GATEWAY_NAMESPACE && type === "kubernetes.io/tls",
  );
  for (const secret of tls) {
    const text = Buffer.from((secret.data as Readonly<Record<string, string>>)["tls.crt"] ?? "", "base64");
    await stand.client.patch(secret, { data: { "tls.crt": Buffer.from(`${text}\n`).toString("base64") } });
  }
}

/** Connections that found no certificate, since the proxy's start. */
export async function notReady(proxy: GatewayProxy): Promise<number> {
  const stats = await proxy.stats(NOT_READY);
  return [...stats].reduce((sum, [stat, value]) => (stat.startsWith("listener.") ? sum + value : sum), 0);
}
