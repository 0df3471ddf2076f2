import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readinessOf } from "../../../../services/model-control/src/fleet/readiness";
import type { Sighting } from "../../../../services/model-control/src/fleet/survey";

interface Seen {
  /** Not set: it has not the model. */
  readonly has?: "loaded" | "disk";
  readonly pulls?: boolean;
  readonly canPull?: boolean;
  readonly phase?: "running" | "stopped" | "starting";
  readonly rest?: Sighting["rest"];
  readonly problem?: string;
  /** Told the model by the configuration. */
  readonly told?: boolean;
}

/** As much of a sighting as decides. */
function sighting(
  name: string,
  { has, pulls, canPull = true, phase = "running", rest, problem, told }: Seen,
): Sighting {
  const held = has === undefined ? [] : [{ name: "m:1", loaded: has === "loaded" }];
  const worker = {
    spec: { name, models: told ? ["m:1"] : undefined },
    backend: { nameOf: (model: string) => model.toLowerCase(), can: { pull: canPull } },
  };
  const inventory = { models: held, pulls: new Map(pulls ? [["m:1", { running: true }]] : []) };
  return { worker, record: { phase }, inventory, rest, problem } as unknown as Sighting;
}

function of(...seen: readonly Seen[]) {
  return readinessOf(
    seen.map((one, index) => sighting(`w${index}`, one)),
    "M:1",
  );
}

describe("what a model needs before it can answer", () => {
  it.each([
    [
      "nothing where it is loaded",
      [{}, { has: "loaded" }, { has: "loaded" }],
      { state: "ready", workers: ["w1", "w2"] },
    ],
    ["a load where it is on a disk", [{}, { has: "disk" }], { state: "on_disk" }],
    ["the end of its pull", [{}, { pulls: true }], { state: "pulling" }],
    ["a pull where it is nowhere", [{ canPull: false }, {}], { state: "absent" }],
    [
      "a worker that wakes",
      [{ canPull: false }, { has: "disk", rest: "waking", problem: "x" }],
      { state: "starting", worker: "w1" },
    ],
    [
      "a worker that starts",
      [{ told: true, canPull: false, phase: "starting", problem: "x" }],
      { state: "starting", worker: "w0" },
    ],
    [
      "to wake the worker that has it, before a pull elsewhere",
      [{}, { has: "disk", rest: "asleep" }],
      { state: "asleep", worker: "w1" },
    ],
    [
      "to wake the worker that is told it",
      [{ told: true, canPull: false, rest: "asleep" }],
      { state: "asleep", worker: "w0" },
    ],
    [
      "to wake one that can pull, where no other can",
      [{ canPull: false }, { rest: "asleep" }],
      { state: "asleep", worker: "w1" },
    ],
    ["an answer of the worker that has it", [{ has: "disk", problem: "x" }], { state: "unreachable", worker: "w0" }],
    ["somebody who starts its worker", [{ has: "disk", phase: "stopped" }], { state: "stopped", worker: "w0" }],
    [
      "the start of the stopped worker that has it, rather than of another",
      [{ phase: "stopped" }, { has: "disk", phase: "stopped" }],
      { state: "stopped", worker: "w1" },
    ],
    ["what nobody can give", [{ canPull: false }], { state: "absent" }],
  ] as const)("%s", (_, seen, readiness) => {
    expect(of(...seen)).toEqual(readiness);
  });

  it("is never thought ready on a worker that cannot be asked, is away, or does not run", () => {
    const seen = fc.record({
      has: fc.constantFrom("loaded", "disk", undefined),
      pulls: fc.boolean(),
      canPull: fc.boolean(),
      phase: fc.constantFrom("running", "stopped", "starting"),
      rest: fc.constantFrom("asleep", "held", "waking", undefined),
      problem: fc.constantFrom("it does not answer", undefined),
      told: fc.boolean(),
    }) satisfies fc.Arbitrary<Seen>;
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 4 }), (workers) => {
        const able = workers.flatMap(({ has, phase, rest, problem }, index) => {
          const isThere = phase === "running" && problem === undefined && rest !== "asleep" && rest !== "held";
          return has === "loaded" && isThere ? [`w${index}`] : [];
        });
        const readiness = of(...workers);
        expect(readiness.state === "ready" ? readiness.workers : []).toEqual(able);
      }),
    );
  });
});
