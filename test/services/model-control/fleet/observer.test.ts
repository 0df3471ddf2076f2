import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  startObserver,
  startSweeper,
  startWaker,
  sweepSeconds,
} from "../../../../services/model-control/src/fleet/observer";

test("looks again and again, also after a look that failed, until it is ended", async () => {
  const errors: unknown[] = [];
  let looks = 0;
  const observe = async () => {
    looks += 1;
    if (looks === 2) {
      throw new Error("away");
    }
  };
  const end = startObserver({ observe }, (error) => errors.push(error), 0.01);
  await expect.poll(() => looks).toBeGreaterThan(3);
  await end();
  const then = looks;
  await sleep(50);
  expect(looks).toBe(then);
  expect(errors).toEqual([new Error("away")]);
});

test("its end breaks off the look that runs, without an error", async () => {
  const errors: unknown[] = [];
  let broken = false;
  const observe = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener("abort", () => {
        broken = true;
        reject(signal.reason);
      });
    });
  await startObserver({ observe }, (error) => errors.push(error))();
  expect(broken).toBe(true);
  expect(errors).toEqual([]);
});

test("idle models are looked for often enough for the shortest time, and not at all where none ever leaves", async () => {
  const every = (seconds: number | "never") => sweepSeconds({ seconds, models: { other: 3600 } });
  expect([1, 8, 40, 900, "never" as const].map(every)).toEqual([1, 2, 10, 15, 15]);
  let sweeps = 0;
  const sweep = async () => {
    sweeps += 1;
  };
  await startSweeper({ sweep }, { seconds: "never", models: { a: "never" } }, () => undefined)();
  expect(sweeps).toBe(0);
  const end = startSweeper({ sweep }, { seconds: 60, models: {} }, () => undefined);
  await expect.poll(() => sweeps).toBe(1);
  await end();
});

test("models that sleep are looked after where any leaves by itself, and nowhere else", async () => {
  let looks = 0;
  const wake = async () => {
    looks += 1;
  };
  await startWaker({ wake }, { seconds: "never", models: { a: "never" } }, () => undefined)();
  expect(looks).toBe(0);
  const end = startWaker({ wake }, { seconds: "never", models: { a: 60 } }, () => undefined);
  await expect.poll(() => looks, { timeout: 5000 }).toBe(2);
  await end();
});
