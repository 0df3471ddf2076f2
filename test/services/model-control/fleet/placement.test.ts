import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Candidate,
  choosePlacement,
  freeBytes,
  leaversFor,
} from "../../../../services/model-control/src/fleet/placement";
import type { Resident } from "../../../../services/model-control/src/fleet/residency";

const GIB = 1024 ** 3;

function worker(
  name: string,
  has: Candidate["has"],
  budgetGiB: number,
  residents: readonly Resident[] = [],
): Candidate {
  return { worker: name, has, memory: { budgetBytes: budgetGiB * GIB, otherBytes: 0, residents } };
}

function resident(model: string, gib: number, used: number, stays = false): Resident {
  return { model, bytes: gib * GIB, lastUsed: new Date(used), stays };
}

const room = fc.record({
  budgetBytes: fc.integer({ min: 1, max: 100 }),
  otherBytes: fc.integer({ min: 0, max: 20 }),
  residents: fc.uniqueArray(
    fc.record({
      model: fc.string({ minLength: 1, maxLength: 4 }),
      bytes: fc.integer({ min: 1, max: 40 }),
      lastUsed: fc.date({ min: new Date(0), max: new Date(1e9), noInvalidDate: true }),
      stays: fc.boolean(),
    }),
    { selector: ({ model }) => model, maxLength: 5 },
  ),
});
const candidates = fc.uniqueArray(
  fc.record({
    worker: fc.string({ minLength: 1, maxLength: 4 }),
    has: fc.constantFrom("nothing", "on_disk", "loaded"),
    memory: room,
    disk: fc.option(room, { nil: undefined }),
  }),
  { selector: ({ worker }) => worker, minLength: 1, maxLength: 5 },
);
const need = fc.record({ memoryBytes: fc.integer({ min: 0, max: 120 }), diskBytes: fc.integer({ min: 0, max: 120 }) });

describe("choosePlacement", () => {
  test("chooses a worker where the model fits after all that may leave has left", () => {
    fc.assert(
      fc.property(need, candidates, (wanted, all) => {
        const placement = choosePlacement(wanted, all);
        if ("shortage" in placement) {
          return;
        }
        const chosen = all.find((candidate) => candidate.worker === placement.worker);
        expect(chosen).toBeDefined();
        expect(chosen && canTake(chosen, wanted)).toBe(true);
      }),
    );
  });

  test("refuses only when no worker can make room, and names each of them", () => {
    fc.assert(
      fc.property(need, candidates, (wanted, all) => {
        const placement = choosePlacement(wanted, all);
        if (!("shortage" in placement)) {
          return;
        }
        for (const candidate of all) {
          expect(canTake(candidate, wanted)).toBe(false);
          expect(placement.shortage).toContain(`${candidate.worker}: `);
        }
      }),
    );
  });

  test("a worker that has the model loaded is always enough", () => {
    fc.assert(
      fc.property(need, candidates, (wanted, all) => {
        const loaded = all.filter(({ has }) => has === "loaded").map(({ worker }) => worker);
        if (loaded.length === 0) {
          return;
        }
        const placement = choosePlacement(wanted, all);
        expect("worker" in placement && loaded.includes(placement.worker)).toBe(true);
      }),
    );
  });

  test("prefers loaded over on disk over absent, whatever the room", () => {
    const all = [worker("big", "nothing", 80), worker("disk", "on_disk", 24), worker("warm", "loaded", 1)];
    expect(choosePlacement({ memoryBytes: 8 * GIB }, all)).toEqual({ worker: "warm" });
    expect(choosePlacement({ memoryBytes: 8 * GIB }, all.slice(0, 2))).toEqual({ worker: "disk" });
  });

  test("a worker whose disk has it but whose memory has no room does not count", () => {
    const full = worker("full", "on_disk", 8, [resident("pinned", 8, 1, true)]);
    expect(choosePlacement({ memoryBytes: 4 * GIB }, [full, worker("free", "nothing", 24)])).toEqual({
      worker: "free",
    });
  });

  test("takes the most room when no one must leave", () => {
    const all = [worker("a", "nothing", 24, [resident("x", 16, 1)]), worker("b", "nothing", 24, [resident("y", 4, 9)])];
    expect(choosePlacement({ memoryBytes: 8 * GIB }, all)).toEqual({ worker: "b" });
    expect(choosePlacement({}, all)).toEqual({ worker: "b" });
  });

  test("sends away what was used longest ago, over all workers", () => {
    const all = [
      worker("a", "nothing", 8, [resident("x", 8, 500)]),
      worker("b", "nothing", 8, [resident("y", 8, 100)]),
    ];
    expect(choosePlacement({ memoryBytes: 8 * GIB }, all)).toEqual({ worker: "b" });
  });

  test("says each number that is short", () => {
    const pinned = worker("gpu-1", "nothing", 24, [resident("pinned", 20, 1, true), resident("other", 2, 1)]);
    expect(choosePlacement({ memoryBytes: 8 * GIB }, [pinned])).toEqual({
      shortage: "gpu-1: memory: needs 8.0 GiB, has 2.0 GiB free and 2.0 GiB that may leave of 24.0 GiB",
    });
  });
});

function canTake({ has, memory, disk }: Candidate, wanted: { memoryBytes: number; diskBytes: number }): boolean {
  const inMemory = has === "loaded" || leaversFor(memory, wanted.memoryBytes) !== undefined;
  const onDisk = has !== "nothing" || disk === undefined || leaversFor(disk, wanted.diskBytes) !== undefined;
  return inMemory && onDisk;
}

describe("freeBytes", () => {
  test("counts what is used beside the residents", () => {
    expect(freeBytes({ budgetBytes: 10, otherBytes: 3, residents: [{ model: "m", bytes: 4, stays: false }] })).toBe(3);
  });
});
