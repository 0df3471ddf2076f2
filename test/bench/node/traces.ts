/** What spans cost a request through a node, with a collector that takes them, that is gone, and that never answers. */
import { createServer, type Server, type Socket } from "node:net";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { type RealNode, startNode } from "../../e2e/node/real-node";
import { SpanBytes } from "../../e2e/node/span-bytes";
import { type LoadRound, load } from "../gateway/load";
import { StepEngine } from "./step-engine";

export const COLLECTORS = ["takes spans", "gone", "never answers"] as const;
export type Collector = (typeof COLLECTORS)[number];

export interface TracedLoad {
  readonly collector: Collector;
  /** Rounds through a node that reports nothing, and through one that reports each request, in turns. */
  readonly plain: readonly LoadRound[];
  readonly traced: readonly LoadRound[];
}

const EXTENT = { requests: 500, connections: 1 } as const;
const BODY = Buffer.from(JSON.stringify({ model: "bench", messages: [] }));
/** Nodes continue traces and begin none. */
const HEADERS = { ...StepEngine.AT_ONCE, traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };

/** Takes connections, and says nothing: what is written to it waits. */
class SilentServer {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket.on("error", () => undefined).pause());
  });

  async start(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, "127.0.0.1", resolve));
  }

  stop(): void {
    for (const socket of this.sockets) {
      socket.destroy();
    }
    this.server.close();
  }
}

/** The first round is not counted: it warms up. @throws Error that names the command which installs a missing part. */
export async function measureTraces(rounds: number, progress: (text: string) => void): Promise<readonly TracedLoad[]> {
  const engine = new StepEngine();
  const stops: (() => void | Promise<void>)[] = [() => engine.stop()];
  try {
    const enginePort = await engine.start();
    const [taking = 0, gone = 0, silent = 0] = await freePorts(3);
    const spans = await SpanBytes.start(taking);
    const server = new SilentServer();
    await server.start(silent);
    stops.push(
      () => spans.stop(),
      () => server.stop(),
    );
    const nodeOf = async (grpcPort?: number): Promise<RealNode> => {
      const traces = grpcPort !== undefined && { traces: { host: "127.0.0.1", grpcPort, httpPort: 0 } };
      const model = { engine: "vllm", servedName: "bench", task: "chat", node: { group: "bench", ...traces } } as const;
      const node = await startNode({ model, enginePort });
      stops.push(() => node.stop());
      return node;
    };
    const plain = await nodeOf();
    const nodes: Readonly<Record<Collector, RealNode>> = {
      "takes spans": await nodeOf(taking),
      gone: await nodeOf(gone),
      "never answers": await nodeOf(silent),
    };
    const measured = COLLECTORS.map((collector) => ({
      collector,
      plain: [] as LoadRound[],
      traced: [] as LoadRound[],
    }));
    const ask = (name: string, { port }: RealNode) =>
      load({ name, to: { host: "127.0.0.1", port, path: "/infer", headers: HEADERS } }, BODY, EXTENT);
    for (let round = 0; round <= rounds; round++) {
      progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
      for (const { collector, ...into } of measured) {
        const ways = { plain, traced: nodes[collector] };
        const order = round % 2 === 0 ? (["plain", "traced"] as const) : (["traced", "plain"] as const);
        for (const name of order) {
          const answered = await ask(name, ways[name]);
          if (round > 0) {
            into[name].push(answered);
          }
        }
      }
    }
    if (spans.received.length === 0) {
      throw new Error("no span came: nothing was measured");
    }
    return measured;
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}
