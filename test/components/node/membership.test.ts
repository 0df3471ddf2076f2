import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FASTEST_MS, Membership, type State, waitAfter } from "../../../components/node/scripts/membership.ts";
import { FAILURES, type Outcome } from "../../../components/node/scripts/registrar.ts";
import { atNight } from "../../harness/property-runs";

const NODE = "https://registrar.example.com/groups/cluster/nodes/node-0";
const RENEW_SECONDS = 30;
const OK: Outcome = { ok: true };
const AWAY: Outcome = { ok: false, kind: "connection", reason: "ECONNREFUSED" };

function answers(status: number): Outcome {
  return { ok: false, kind: status < 500 ? "refused" : "server-error", reason: `HTTP ${status}`, status };
}

interface Course {
  readonly seconds: number;
  /** By the second. @default it is */
  readonly well?: (second: number) => boolean;
  /** By the second. @default it takes everything */
  readonly registrar?: (second: number, method: "PUT" | "DELETE") => Outcome;
  /** Seconds that each answer takes. @default 0 */
  readonly takes?: number;
}

interface Told {
  readonly at: number;
  readonly state: State;
  readonly reason: string | undefined;
}

/** A node's life on a clock of its own; at the end of it the node is told to leave, which it does a second later: a call may still run. */
async function live({ seconds, well = () => true, registrar = () => OK, takes = 0 }: Course) {
  let now = 0;
  let ended = false;
  const calls: { at: number; method: "PUT" | "DELETE"; body: unknown; deadlineMs: number }[] = [];
  const told: Told[] = [];
  const registered: { at: number; is: boolean; wanted: boolean }[] = [];
  const membership: Membership = new Membership({
    url: NODE,
    record: { node: "node-0" },
    renewSeconds: RENEW_SECONDS,
    clock: () => now,
    random: () => 1,
    healthy: async () => well(now / 1000),
    call: async ({ url, method, body, deadlineMs }) => {
      expect(url).toBe(NODE);
      calls.push({ at: now / 1000, method, body, deadlineMs });
      const outcome = registrar(now / 1000, method);
      now += takes * 1000;
      return outcome;
    },
    changed: (state, reason) => told.push({ at: now / 1000, state, reason }),
    pause: async (milliseconds) => {
      const { registered: is, wanted } = membership.standing();
      if (!ended) {
        registered.push({ at: now / 1000, is, wanted });
      }
      now += milliseconds;
      if (now >= seconds * 1000 && !ended) {
        ended = true;
        void membership.leave();
      }
    },
  });
  await membership.run();
  await membership.leave();
  return { calls, told, registered, standing: membership.standing(), membership };
}

describe("a node at its registrar", () => {
  it("registers once it is well, renews, and leaves when it is told to stop", async () => {
    const { calls, told, standing } = await live({ seconds: 100, well: (second) => second >= 8 });
    expect(calls.map(({ at, method }) => `${method} ${at}`)).toEqual(["PUT 10", "PUT 40", "PUT 70", "DELETE 101"]);
    expect(calls[0]?.body).toEqual({ node: "node-0", ttlSeconds: 90 });
    expect(calls[3]?.body).toBeUndefined();
    expect(told).toEqual([
      { at: 0, state: "waiting", reason: "the node is not well" },
      { at: 10, state: "registered", reason: undefined },
      { at: 101, state: "left", reason: "the node is stopping" },
    ]);
    expect(standing).toMatchObject({ registered: false, wanted: false, renewals: 3 });
    expect(standing.lastSuccess).toBeGreaterThan(1.7e9);
  });

  it("stays registered through a gap in renewals, and no longer than it said that it lives", async () => {
    const { told, registered, standing } = await live({ seconds: 300, registrar: (at) => (at < 31 ? OK : AWAY) });
    expect(told.slice(0, 3)).toEqual([
      { at: 0, state: "registered", reason: undefined },
      { at: 60, state: "failing", reason: "connection: ECONNREFUSED" },
      { at: expect.any(Number), state: "unregistered", reason: "connection: ECONNREFUSED" },
    ]);
    // The last renewal was at 30.
    expect(registered.filter(({ is }) => is).at(-1)?.at).toBeLessThan(120);
    expect(registered.filter(({ at, is }) => at >= 120 && is)).toEqual([]);
    expect(registered.every(({ wanted }) => wanted)).toBe(true);
    expect(standing.failures.connection).toBeGreaterThan(3);
  });

  it("says nothing again while it tries again, and when the registrar is back it is registered", async () => {
    const { told, calls } = await live({ seconds: 700, registrar: (at) => (at < 600 ? AWAY : OK) });
    expect(told.map(({ state }) => state)).toEqual(["unregistered", "registered", "left"]);
    expect(told[1]?.at).toBeLessThanOrEqual(660);
    expect(calls.filter(({ at }) => at < 600).length).toBeLessThan(20);
  });

  it("is not registered as soon as the registrar refuses it, but while it is only busy", async () => {
    const registeredThen = async (second: Outcome) =>
      (await live({ seconds: 34, registrar: (at) => (at < 1 ? OK : second) })).registered.at(-1)?.is;
    expect(await registeredThen(answers(404))).toBe(false);
    expect(await registeredThen({ ok: false, kind: "unauthorized", reason: "HTTP 401", status: 401 })).toBe(false);
    expect(await registeredThen({ ok: false, kind: "rate-limited", reason: "HTTP 429", status: 429 })).toBe(true);
    expect(await registeredThen(answers(503))).toBe(true);
    expect(await registeredThen(AWAY)).toBe(true);
  });

  it("does not renew while it is unwell, leaves when that lasts, and comes back", async () => {
    const { calls, told, registered } = await live({ seconds: 150, well: (at) => at < 20 || at >= 100 });
    expect(calls.map(({ at, method }) => `${method} ${at}`)).toEqual([
      "PUT 0",
      "DELETE 50",
      "PUT 100",
      "PUT 130",
      "DELETE 151",
    ]);
    expect(told.map(({ state, reason }) => [state, reason])).toEqual([
      ["registered", undefined],
      ["left", "the node is not well"],
      ["registered", undefined],
      ["left", "the node is stopping"],
    ]);
    expect(registered.find(({ at }) => at === 60)).toMatchObject({ is: false, wanted: false });
  });

  it("stays through a moment in which it is unwell", async () => {
    const { calls } = await live({ seconds: 80, well: (at) => at < 20 || at >= 45 });
    expect(calls.map(({ at, method }) => `${method} ${at}`)).toEqual(["PUT 0", "PUT 45", "PUT 75", "DELETE 81"]);
  });

  it("leaves while a renewal hangs: it waits for it a second, and then tells the registrar itself", async () => {
    let answer = (_: Outcome) => {};
    const methods: string[] = [];
    const membership = new Membership({
      url: NODE,
      record: {},
      renewSeconds: RENEW_SECONDS,
      healthy: async () => true,
      changed: () => undefined,
      pause: async () => undefined,
      call: ({ method, signal }) => {
        methods.push(method);
        return method === "DELETE"
          ? Promise.resolve(OK)
          : new Promise((resolve) => {
              answer = resolve;
              signal?.addEventListener("abort", () => answer(AWAY));
            });
      },
    });
    const ran = membership.run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(methods).toEqual(["PUT"]);
    await membership.leave();
    await ran;
    expect(methods).toEqual(["PUT", "DELETE"]);
    expect(membership.standing()).toMatchObject({ registered: false, failures: { connection: 0 } });
  });

  it("tries to leave for eight seconds, and once more at its end, but not where it has left", async () => {
    const unreached = await live({ seconds: 10, registrar: (_, method) => (method === "PUT" ? OK : AWAY), takes: 3 });
    const deletes = () => unreached.calls.filter(({ method }) => method === "DELETE");
    // One run by the clock, and the one that waits for it.
    expect(deletes().map(({ deadlineMs }) => deadlineMs)).toEqual([3000, 3000, 3000, 3000]);
    expect(unreached.told.at(-1)).toMatchObject({ state: "leaving", reason: "connection: ECONNREFUSED" });
    const reached = await live({ seconds: 10 });
    expect(reached.calls.filter(({ method }) => method === "DELETE")).toHaveLength(1);
  });

  it.each([404, 410])("has left where the registrar does not know it: %i", async (status) => {
    const { told, calls } = await live({
      seconds: 10,
      registrar: (_, method) => (method === "PUT" ? OK : answers(status)),
    });
    expect(told.at(-1)?.state).toBe("left");
    expect(calls.filter(({ method }) => method === "DELETE")).toHaveLength(1);
  });
});

const failure = fc.record({
  ok: fc.constant(false as const),
  kind: fc.constantFrom(...FAILURES),
  reason: fc.constant("reason"),
  status: fc.option(fc.integer({ min: 300, max: 599 }), { nil: undefined }),
  retryAfterMs: fc.option(fc.nat(10_000_000), { nil: undefined }),
});

describe("any course of things", () => {
  it("has calls at least a second apart, a line only for a change, and no registration that is older than its life", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
        fc.array(fc.oneof(fc.constant(OK), failure), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 0, max: 10 }),
        async (health, outcomes, takes) => {
          let call = 0;
          const successes: number[] = [];
          const { calls, told, registered } = await live({
            seconds: 600,
            takes,
            well: (second) => health[Math.floor(second / 15) % health.length] ?? true,
            registrar: (second, method) => {
              const outcome = outcomes[call++ % outcomes.length] ?? OK;
              if (outcome.ok && method === "PUT") {
                successes.push(second);
              }
              return outcome;
            },
          });
          const times = calls.map(({ at }) => at);
          expect(times.every((at, i) => i === 0 || at - (times[i - 1] ?? 0) >= FASTEST_MS / 1000)).toBe(true);
          expect(told.every(({ state }, i) => state !== told[i - 1]?.state)).toBe(true);
          for (const { at } of registered.filter(({ is }) => is)) {
            expect(successes.some((success) => success <= at && at < success + 3 * RENEW_SECONDS)).toBe(true);
          }
        },
      ),
      { numRuns: atNight(200) },
    ));
});

describe("waitAfter", () => {
  it("doubles from two seconds to a minute, the second half of it by chance", () => {
    const waits = (chance: number) => [1, 2, 3, 6, 1000].map((n) => waitAfter({ kind: "timeout" }, n, chance));
    expect(waits(0)).toEqual([1000, 2000, 4000, 30_000, 30_000]);
    expect(waits(1)).toEqual([2000, 4000, 8000, 60_000, 60_000]);
  });

  it("waits for as long as a registrar asks for, five minutes at most, and is never faster for it", () => {
    const asked = (retryAfterMs: number) => waitAfter({ kind: "rate-limited", retryAfterMs }, 6, 0);
    expect([asked(0), asked(45_000), asked(1e9)]).toEqual([30_000, 45_000, 300_000]);
    expect(waitAfter({ kind: "gone" }, 1, 0)).toBe(300_000);
  });
});
