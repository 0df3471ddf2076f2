/** A running gateway of Envoy Gateway 1.9.0 is upgraded: real controllers of both releases, and real Envoys under them. */
import { beforeAll, describe, expect, it } from "vitest";
import type { GatewayProxy } from "../../../rehearsal/cluster/gateway/proxy";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import type { TokenEngine } from "../../e2e/gateway/token-engine";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { after, notReady, Streams, startBefore, touchCertificates, Watch } from "./running-gateway";

const STREAMS = 200;
/** Of the rendered `minReadySeconds`. */
const BESIDE_MS = 40_000;
const MINUTE_MS = 60_000;
const TOUCH_EVERY_MS = 5_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Running {
  readonly stand: GatewayStand;
  readonly engine: TokenEngine;
}

function running(): () => Running {
  const shared = sharedBySuite(async () => {
    const started = await startBefore();
    return { ...started, stop: () => started.stand.stop() };
  });
  return shared;
}

describe("an upgrade from 1.9.0 in the way of the runbook", () => {
  const gateway = running();

  it("keeps all streams and all new connections", async () => {
    const { stand, engine } = gateway();
    const old = stand.proxies.slice();
    const streams = await Streams.open(stand, engine, STREAMS);
    const leaving = new Set<GatewayProxy>();
    const watch = new Watch(stand, () => stand.proxies.filter((proxy) => !leaving.has(proxy)));
    const touch = setInterval(() => void touchCertificates(stand), TOUCH_EVERY_MS);
    await stand.upgrade(after());
    for (const _ of old) {
      await stand.startProxy();
    }
    await pause(BESIDE_MS);
    const gone = old.map((proxy) => {
      leaving.add(proxy);
      return proxy.stop("terminate");
    });
    await pause(MINUTE_MS);
    clearInterval(touch);
    const handshakes = await watch.end();
    expect(handshakes.filter(({ succeeds }) => !succeeds)).toEqual([]);
    expect(new Set(handshakes.map(({ proxy }) => proxy)).size).toBe(2 * old.length);
    expect(handshakes.length).toBeGreaterThan(400);
    expect(await streams.finish()).toBe(STREAMS);
    await Promise.all(gone);
    for (const proxy of stand.proxies.slice(old.length)) {
      expect([proxy.name, await notReady(proxy)]).toEqual([proxy.name, 0]);
    }
  });
});

describe("proxies of 1.9.0 that keep running under the next controller", () => {
  const gateway = running();
  let streams: Streams;
  beforeAll(async () => {
    streams = await Streams.open(gateway().stand, gateway().engine, STREAMS);
  });

  it("refuse new connections from 15 s on, and say that they are ready", async () => {
    const { stand } = gateway();
    const watch = new Watch(stand, () => stand.proxies);
    await stand.upgrade(after());
    await pause(MINUTE_MS);
    const handshakes = await watch.end();
    for (const proxy of stand.proxies) {
      const own = handshakes.filter((each) => each.proxy === proxy.name);
      const first = own.find(({ succeeds }) => !succeeds);
      console.log(`${proxy.name}: ${own.length} handshakes, refused from ${first?.at} ms on, ${await notReady(proxy)}`);
      expect(own.at(-1)?.succeeds).toBe(false);
      expect(await notReady(proxy)).toBeGreaterThan(0);
      expect(await proxy.admin("/ready")).toContain("LIVE");
    }
  });

  it("take them again as soon as the Secret has changed", async () => {
    const { stand } = gateway();
    await touchCertificates(stand);
    await waitFor("handshakes with all proxies", async () => {
      const watch = new Watch(stand, () => stand.proxies);
      await pause(1_000);
      return (await watch.end()).every(({ succeeds }) => succeeds) || undefined;
    });
  });

  it("have kept their streams", async () => {
    expect(await streams.finish()).toBe(STREAMS);
  });
});
