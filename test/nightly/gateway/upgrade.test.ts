/** A running gateway of Envoy Gateway 1.9.0 is upgraded: real controllers of both releases, and real Envoys that stay. */
import { beforeAll, describe, expect, it } from "vitest";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { after, handshakesDuring, notReady, pause, Streams, startBefore } from "./running-gateway";

const STREAMS = 200;
const MINUTE_MS = 60_000;
/** Envoy's time for a secret to come (`initial_fetch_timeout`). */
const FETCH_MS = 15_000;

const running = () =>
  sharedBySuite(async () => {
    const started = await startBefore();
    return { ...started, stop: () => started.stand.stop() };
  });

describe("proxies of 1.9.0 that keep running under the next controller", () => {
  const gateway = running();
  let streams: Streams;
  beforeAll(async () => {
    streams = await Streams.open(gateway().stand, gateway().engine, STREAMS);
  });

  it("refuse new connections from 15 s on, and say that they are ready", async () => {
    const { stand } = gateway();
    const handshakes = await handshakesDuring(
      stand,
      () => stand.proxies,
      async () => {
        await stand.upgrade(after());
        await pause(MINUTE_MS);
      },
    );
    for (const proxy of stand.proxies) {
      const own = handshakes.filter((each) => each.proxy === proxy.name);
      const first = own.findIndex(({ succeeds }) => !succeeds);
      expect(own[first]?.at).toBeGreaterThan(FETCH_MS);
      expect(own.slice(first).filter(({ succeeds }) => succeeds)).toEqual([]);
      expect(await notReady(proxy)).toBe(own.length - first);
      expect(await proxy.admin("/ready")).toContain("LIVE");
    }
  });

  it("have kept their streams", async () => {
    expect(await streams.finish()).toBe(STREAMS);
  });
});
