import { expect, it } from "vitest";
import { busiest, touched } from "../../../planner/speed/matrix-time";

/** Numbers from 0 to 1 that are the same on every run. */
function* numbers(): Generator<number> {
  for (let state = 20261127; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Mean of the most that one of so many GPUs has when so many things fall on each by chance. */
function drawn(things: number, gpus: number): number {
  const random = numbers();
  const rounds = 1500;
  let sum = 0;
  for (let round = 0; round < rounds; round += 1) {
    const counts = Array.from({ length: gpus }, () => 0);
    for (let thing = 0; thing < things; thing += 1) {
      const gpu = Math.floor((random.next().value as number) * gpus);
      counts[gpu] = (counts[gpu] ?? 0) + 1;
    }
    sum += Math.max(...counts);
  }
  return sum / rounds;
}

it.each([
  [64, 2],
  [200, 4],
  [400, 8],
])("of %d things on %d GPUs the busiest has what drawing them shows", (things, gpus) => {
  // Wanted is what there would be in all if each had what the busiest has.
  expect(busiest(things, gpus, 1) / (drawn(things, gpus) * gpus)).toBeCloseTo(1, 1.5);
});

it("all have the same where there is one GPU, or nothing is left to chance", () => {
  expect([busiest(100, 1, 1), busiest(100, 8, 0)]).toEqual([100, 100]);
});

it("a token touches as many experts as it chooses, and all of them are touched in the end", () => {
  expect([touched(64, 8, 1), touched(64, 8, 1e6)].map((each) => Math.round(each))).toEqual([8, 64]);
  expect(touched(64, 8, 2)).toBeCloseTo(15, 9);
});
