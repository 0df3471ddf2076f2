import { waitFor } from "../../../rehearsal/cluster/wait";
import { type Extent, sizesWithin } from "../extent";
import { hold } from "./load";
import { type BenchStand, BODY_LIMIT_MIB } from "./stand";

/** Memory of the gateway's programs while it holds so many requests with a body of the limit, bytes. */
export interface BodiesHeld {
  readonly bodies: number;
  readonly envoyBytes: number;
  readonly filterBytes: number;
}

/** Fewer than a development proxy takes of one model at a time (`gateway-limits.ts`); this machine holds each body some ten times. */
const COUNTS = [0, 8, 16, 32] as const;

/** Room for the rest of the request around the prompt. */
const ENVELOPE_BYTES = 1024;

/** Requests that the backend has read and not answered yet: what the gateway keeps of them is what `gateway-limits.ts` plans. */
export async function measureBodies(
  { backend, ways, envoy, filter }: BenchStand,
  extent: Extent,
): Promise<readonly BodiesHeld[]> {
  const way = ways.at(-1) ?? ways[0];
  const content = "x".repeat(BODY_LIMIT_MIB * 2 ** 20 - ENVELOPE_BYTES);
  const body = Buffer.from(JSON.stringify({ model: "assistant", messages: [{ role: "user", content }] }));
  const held: BodiesHeld[] = [];
  for (const bodies of sizesWithin(extent, COUNTS)) {
    backend.hold();
    const open = hold(way, body, bodies);
    await waitFor(`${bodies} bodies at the backend`, async () => (backend.held === bodies ? true : undefined), 120);
    held.push({ bodies, envoyBytes: envoy.residentBytes(), filterBytes: filter.residentBytes() });
    backend.release();
    await open.end();
  }
  return held;
}
