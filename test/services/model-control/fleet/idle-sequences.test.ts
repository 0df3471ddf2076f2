/**
 * Whatever happens to a worker in whatever order, over two replicas of the API: its budget holds, and who stays, stays.
 *
 * The clock is the test's, and nobody waits: the stand-in shows at once what a request has changed. So the seed, which a failure
 * prints, decides all but the order of the requests of those that act at the same moment.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { EngineUnavailable, NoRoom } from "../../../../services/model-control/src/errors";
import { type IdleTime, shortestIdleSeconds } from "../../../../services/model-control/src/fleet/idle";
import { atNight } from "../../../harness/property-runs";
import { OllamaStub } from "../ollama-stub";
import { GIB, model, ollamaWorker, signal, type TestFleet, testFleet } from "./fixture";
import { MemoryState } from "./memory-state";

const STEPS = atNight(1_000, 500);
const BUDGET_GIB = 24;
/** Some are larger than they look on disk. */
const MODELS = {
  "small:1": model(2),
  "seven:7b": model(8),
  "coder:7b": model(8),
  "wide:7b": model(12, 2),
  "thirteen:13b": model(16),
  "huge:70b": model(30, 3),
};
const NAMES = Object.keys(MODELS) as readonly (keyof typeof MODELS)[];
const RULES = { seconds: 60, models: { "coder:7b": 300, "thirteen:13b": "never" } } as const;

const timeOf = (name: string): IdleTime => (RULES.models as Readonly<Record<string, IdleTime>>)[name] ?? RULES.seconds;

const name = fc.constantFrom(...NAMES);
const replica = fc.constantFrom(0, 1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant("load" as const), name, replica }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("begin" as const), name }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant("end" as const), name }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant("pass" as const), seconds: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 6, arbitrary: fc.record({ does: fc.constant("sweep" as const), replica }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("sweep both" as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("sweep beside a load" as const), name }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("drop" as const), name }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("restart" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("pin" as const), pins: fc.uniqueArray(name, { maxLength: 2 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One worker under two replicas of the API, and what a bystander knows of it. */
class Stand {
  private clock = Date.UTC(2026, 10, 24);
  private pins: readonly string[] = [];
  /** What both replicas have in Redis. */
  private readonly state = new MemoryState();
  private fleets: readonly [TestFleet, TestFleet];
  /** When each was last loaded, or the last of its requests ended. */
  private readonly usedAt = new Map<string, number>();
  readonly counts = { idle: 0, room: 0, refused: 0 };

  constructor(private readonly stub: OllamaStub) {
    this.fleets = this.replicas();
  }

  async take(taken: Step): Promise<void> {
    const before = new Set(this.stub.loaded.keys());
    const busy = NAMES.filter((each) => this.isBusy(each));
    const left = () => [...before].filter((each) => !this.stub.loaded.has(each));
    switch (taken.does) {
      case "load":
        await this.load(taken.name, taken.replica);
        break;
      case "begin":
        // Nothing answers for a model that is not loaded: neither the gateway nor the relay leads there.
        if (before.has(taken.name)) {
          this.stub.begin(taken.name);
        }
        break;
      case "end":
        if (this.isBusy(taken.name)) {
          this.stub.end(taken.name);
          this.note(this.isBusy(taken.name) ? undefined : taken.name);
        }
        break;
      case "pass":
        this.clock += taken.seconds * 1000;
        break;
      case "sweep":
        await this.sweep([taken.replica]);
        break;
      case "sweep both":
        await this.sweep([0, 1]);
        break;
      case "sweep beside a load":
        await Promise.all([this.fleets[0].fleet.sweep(signal), this.load(taken.name, 1)]);
        break;
      case "drop":
        if (!this.isBusy(taken.name)) {
          this.stub.drop(taken.name);
        }
        break;
      case "restart":
        this.stub.restart();
        break;
      case "pin":
        this.pins = taken.pins;
        this.fleets = this.replicas();
        break;
    }
    await this.fleets[0].fleet.observe(signal);
    this.check(taken, left(), busy);
  }

  private check({ does }: Step, left: readonly string[], busy: readonly string[]): void {
    const bytes = [...this.stub.loaded.keys()].reduce(
      (sum, each) => sum + (this.stub.onDisk.get(each)?.memoryBytes ?? 0),
      0,
    );
    expect(bytes).toBeLessThanOrEqual(BUDGET_GIB * GIB);
    // Nobody is condemned for later: who was told to leave and was in use stays after all.
    expect([...this.stub.leaving]).toEqual([]);
    if (does === "restart" || does === "drop") {
      return;
    }
    expect(left.filter((each) => this.pins.includes(each))).toEqual([]);
    expect(left.filter((each) => busy.some((one) => one === each))).toEqual([]);
    if (does.startsWith("sweep") && does !== "sweep beside a load") {
      expect(left.filter((each) => !this.isDue(each))).toEqual([]);
    }
    if (!does.startsWith("sweep") && does !== "load") {
      expect(left).toEqual([]);
    }
  }

  private async sweep(replicas: readonly number[]): Promise<void> {
    const told = [...this.stub.told];
    await Promise.all(replicas.map((each) => this.fleet(each).fleet.sweep(signal)));
    // For being idle, nobody in use was even asked to go.
    expect([...this.stub.told]).toEqual(told);
    const overdue = [...this.stub.loaded.keys()].filter((each) => this.isDue(each) && !this.isBusy(each));
    expect(overdue).toEqual([]);
  }

  private async load(wanted: string, of: number): Promise<void> {
    try {
      await this.fleet(of).pull(wanted);
      this.note(wanted);
    } catch (error) {
      // All that is loaded is pinned or too small, or what must leave is in use for too long.
      expect(error instanceof NoRoom || error instanceof EngineUnavailable, String(error)).toBe(true);
      this.counts.refused += 1;
    }
  }

  private isDue(each: string): boolean {
    const time = timeOf(each);
    const since = this.clock - (this.usedAt.get(each) ?? 0);
    return time !== "never" && !this.pins.includes(each) && since >= time * 1000;
  }

  private isBusy(each: string): boolean {
    return (this.stub.running.get(each) ?? 0) > 0;
  }

  private note(used: string | undefined): void {
    if (used !== undefined) {
      this.usedAt.set(used, this.clock);
    }
  }

  private fleet(index: number): TestFleet {
    return index === 0 ? this.fleets[0] : this.fleets[1];
  }

  private replicas(): readonly [TestFleet, TestFleet] {
    const make = () =>
      testFleet([ollamaWorker("a", this.stub.url, { memoryBytes: BUDGET_GIB * GIB, pins: this.pins })], {
        state: this.state,
        idle: RULES,
        now: () => new Date(this.clock),
        // One look each.
        engineTimeouts: { noticeSeconds: 0, unloadSeconds: 0 },
        onEvent: (event) => {
          if (event.type === "unloaded" && (event.reason === "idle" || event.reason === "room")) {
            this.counts[event.reason] += 1;
          }
        },
      });
    return [make(), make()];
  }
}

test("over hundreds of steps no budget is broken, no pinned model leaves, none in use, and idle ones do", async () => {
  expect(shortestIdleSeconds(RULES)).toBe(60);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      const stub = await OllamaStub.listen(MODELS);
      try {
        const stand = new Stand(stub);
        for (const each of steps) {
          await stand.take(each);
        }
        // It was no quiet run: else nothing above could have failed.
        expect(Math.min(...Object.values(stand.counts))).toBeGreaterThan(0);
      } finally {
        await stub.close();
      }
    }),
    { numRuns: atNight(2, 1), endOnFailure: true },
  );
}, 120_000);
