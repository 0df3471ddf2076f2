import { startNode } from "../../e2e/node/real-node";
import { type LoadRound, load } from "../gateway/load";
import { StepEngine, TOKENS } from "./step-engine";

/** What is asked, in which numbers. */
export interface NodeLoad {
  readonly kind: string;
  readonly requests: number;
  readonly connections: number;
  /** Rounds past the node, and through it, in turns. */
  readonly direct: readonly LoadRound[];
  readonly node: readonly LoadRound[];
}

interface Kind extends Pick<NodeLoad, "kind" | "requests" | "connections"> {
  readonly headers: Readonly<Record<string, string>>;
}

/** The kinds that the limits are about. */
export const STREAMS = `a stream of ${TOKENS} tokens`;
export const AT_ONCE = "an answer at once";

const KINDS: readonly Kind[] = [
  { kind: STREAMS, requests: 24, connections: 1, headers: {} },
  { kind: STREAMS, requests: 240, connections: 16, headers: {} },
  { kind: STREAMS, requests: 640, connections: 64, headers: {} },
  { kind: AT_ONCE, requests: 500, connections: 1, headers: StepEngine.AT_ONCE },
  { kind: AT_ONCE, requests: 2000, connections: 16, headers: StepEngine.AT_ONCE },
];

const BODY = Buffer.from(
  JSON.stringify({ model: "bench", messages: [{ role: "user", content: "word ".repeat(40) }], stream: true }),
);

/**
 * The same requests straight to an engine and through its node, in turns within a round. The first round is not counted: it warms up.
 *
 * @throws Error that names the command which installs a missing part.
 */
export async function measureNode(rounds: number, progress: (text: string) => void): Promise<readonly NodeLoad[]> {
  const engine = new StepEngine();
  try {
    return await measureBeside(engine, rounds, progress);
  } finally {
    engine.stop();
  }
}

async function measureBeside(
  engine: StepEngine,
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly NodeLoad[]> {
  const enginePort = await engine.start();
  const node = await startNode({
    model: { engine: "vllm", servedName: "bench", task: "chat", node: { group: "bench" } },
    enginePort,
  });
  const way = (name: string, port: number, path: string) => ({ name, to: { host: "127.0.0.1", port, path } });
  const ways = { direct: way("direct", enginePort, "/v1/chat/completions"), node: way("node", node.port, "/infer") };
  const measured = KINDS.map((kind) => ({ kind, direct: [] as LoadRound[], node: [] as LoadRound[] }));
  try {
    for (let round = 0; round <= rounds; round++) {
      progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
      for (const { kind, ...into } of measured) {
        // Who begins changes: a machine that gets busier while it is measured favours nobody.
        const order = round % 2 === 0 ? (["direct", "node"] as const) : (["node", "direct"] as const);
        for (const name of order) {
          const { to, ...rest } = ways[name];
          const answered = await load({ ...rest, to: { ...to, headers: kind.headers } }, BODY, kind);
          if (round > 0) {
            into[name].push(answered);
          }
        }
      }
    }
  } finally {
    await node.stop();
  }
  return measured.map(({ kind: { kind, requests, connections }, direct, node }) => ({
    kind,
    requests,
    connections,
    direct,
    node,
  }));
}
