/** A running gateway of Envoy Gateway 1.9.0 is upgraded: real controllers of both releases, and real Envoys that stay. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { runStep } from "./runbook";
import { after, callsDuring, notReady, pause, Streams, startBefore } from "./running-gateway";

const STREAMS = 200;
const MINUTE_MS = 60_000;
/** Envoy's time for a secret to come (`initial_fetch_timeout`). */
const FETCH_MS = 15_000;
/** For which new proxies run beside old ones, and then old ones beside clients that were sent to them (proxy-pods.ts). */
const BESIDE_MS = 40_000;

/** A folder for what the runbook's commands write. */
function runbookFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gateway-upgrade-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const running = () =>
  sharedBySuite(async () => {
    const started = await startBefore();
    return { ...started, stop: () => started.stand.stop() };
  });

describe("proxies of 1.9.0 that keep running under the next controller", () => {
  const gateway = running();
  const folder = runbookFolder();
  let streams: Streams;
  beforeAll(async () => {
    streams = await Streams.open(gateway().stand, gateway().engine, STREAMS);
  });

  it("refuse new connections from 15 s on, and say that they are ready", async () => {
    const { stand } = gateway();
    const calls = await callsDuring(
      stand,
      () => stand.proxies,
      async () => {
        await stand.upgrade(after());
        await pause(MINUTE_MS);
      },
    );
    for (const proxy of stand.proxies) {
      const own = calls.filter((each) => each.proxy === proxy.name);
      const first = own.findIndex(({ failure }) => failure !== undefined);
      expect(own[first]?.at).toBeGreaterThan(FETCH_MS);
      expect(own.slice(first).filter(({ failure }) => failure === undefined)).toEqual([]);
      expect(await notReady(proxy)).toBe(own.length - first);
      expect(await proxy.admin("/ready")).toContain("LIVE");
    }
  });

  it("serve again, without a restart, once the certificate has another name", async () => {
    const { stand } = gateway();
    await runStep("copy", stand, folder);
    await runStep("name", stand, folder);
    await pause(FETCH_MS);
    const calls = await callsDuring(
      stand,
      () => stand.proxies,
      () => pause(FETCH_MS),
    );
    expect(calls.length).toBeGreaterThan(20);
    expect(calls.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  it("have kept their streams", async () => {
    expect(await streams.finish()).toBe(STREAMS);
  });
});

describe("an upgrade by the runbook", () => {
  const gateway = running();
  const folder = runbookFolder();
  let streams: Streams;
  beforeAll(async () => {
    streams = await Streams.open(gateway().stand, gateway().engine, STREAMS);
  });

  it("refuses no new connection, at old proxies or at new ones, until the old ones are told to leave and for a minute", async () => {
    const { stand } = gateway();
    const old = [...stand.proxies];
    const calls = await callsDuring(
      stand,
      () => stand.proxies,
      async () => {
        await runStep("copy", stand, folder);
        await Promise.all([runStep("stop", stand, folder), stand.pauseController()]);
        await runStep("name", stand, folder);
        await stand.upgrade(after());
        await stand.startProxy();
        await stand.startProxy();
        await pause(MINUTE_MS);
      },
    );
    for (const proxy of stand.proxies) {
      const own = calls.filter((each) => each.proxy === proxy.name);
      expect(own.length).toBeGreaterThan(60);
      expect(own.filter(({ failure }) => failure !== undefined)).toEqual([]);
      expect(await notReady(proxy)).toBe(0);
    }
    const drained = await callsDuring(
      stand,
      () => stand.proxies,
      async () => {
        for (const proxy of old) {
          void proxy.stop("terminate");
        }
        await pause(BESIDE_MS - 5_000);
      },
    );
    expect(drained.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  it("has kept the streams", async () => {
    expect(await streams.finish()).toBe(STREAMS);
  });

  it("leads back to the certificates that are renewed", async () => {
    const { stand } = gateway();
    const left = stand.proxies.filter(({ isRunning }) => isRunning).slice(-2);
    const calls = await callsDuring(
      stand,
      () => left,
      async () => {
        await runStep("back", stand, folder);
        await pause(FETCH_MS + 10_000);
      },
    );
    expect(calls.filter(({ failure }) => failure !== undefined)).toEqual([]);
    for (const proxy of left) {
      expect(await proxy.admin("/certs")).toContain(stand.hostname);
    }
  });
});
