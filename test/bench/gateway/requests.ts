import { STREAM, TOKENS } from "./backend";
import { type LoadRound, load } from "./load";
import type { BenchStand } from "./stand";

/** One kind of request, and how many of them make a round. */
interface Kind {
  readonly name: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly loads: readonly { readonly requests: number; readonly connections: number }[];
}

/** What one round of one way took of the gateway, besides the client's time; CPU in seconds. */
export interface GatewayRound extends LoadRound {
  readonly envoyCpuSeconds: number;
  readonly filterCpuSeconds: number;
}

/** The rounds of one way, with one kind of request over so many connections. */
export interface GatewayLoad {
  readonly way: string;
  readonly kind: string;
  readonly requests: number;
  readonly connections: number;
  readonly rounds: readonly GatewayRound[];
}

const MIB = 2 ** 20;

const KINDS: readonly Kind[] = [
  {
    name: "a short prompt",
    body: prompt(200),
    headers: {},
    loads: [
      { requests: 200, connections: 1 },
      { requests: 1000, connections: 16 },
    ],
  },
  { name: "a prompt of 1 MiB", body: prompt(MIB), headers: {}, loads: [{ requests: 60, connections: 4 }] },
  {
    name: `a stream of ${TOKENS} tokens`,
    body: prompt(200, { stream: true, stream_options: { include_usage: true } }),
    headers: STREAM,
    loads: [{ requests: 60, connections: 4 }],
  },
];

/**
 * The same requests over each of the ways, which take turns within a round. The first round is not counted: it warms up.
 *
 * @throws Error when a request fails.
 */
export async function measureRequests(
  { ways, envoy, filter }: BenchStand,
  rounds: number,
  progress: (text: string) => void,
): Promise<readonly GatewayLoad[]> {
  const loads = KINDS.flatMap((kind) =>
    kind.loads.flatMap((size) => ways.map((way) => ({ kind, size, way, rounds: [] as GatewayRound[] }))),
  );
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? "requests: warming up" : `requests: round ${round} of ${rounds}`);
    for (const { kind, size, way, rounds: measured } of loads) {
      const before = { envoy: envoy.cpuSeconds(), filter: filter.cpuSeconds() };
      const to = { ...way.to, headers: { ...way.to.headers, ...kind.headers } };
      const answered = await load({ ...way, to }, kind.body, size);
      if (round > 0) {
        measured.push({
          ...answered,
          envoyCpuSeconds: envoy.cpuSeconds() - before.envoy,
          filterCpuSeconds: filter.cpuSeconds() - before.filter,
        });
      }
    }
  }
  return loads.map(({ kind, size, way, rounds: measured }) => ({
    way: way.name,
    kind: kind.name,
    ...size,
    rounds: measured,
  }));
}

/** A chat of so many characters. */
function prompt(characters: number, settings: object = {}): Buffer {
  const content = "word ".repeat(characters / 5);
  return Buffer.from(JSON.stringify({ model: "assistant", messages: [{ role: "user", content }], ...settings }));
}
