import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startObserver } from "../../../../services/model-control/src/fleet/observer";

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
