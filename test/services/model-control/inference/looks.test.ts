import { describe, expect, it } from "vitest";
import type { Readiness } from "../../../../services/model-control/src/fleet/fleet";
import { Looks } from "../../../../services/model-control/src/inference/looks";

const READY: Readiness = { state: "ready", workers: ["w1"] };
const never = new AbortController().signal;

/** Looks that are answered when the test says so. */
function looks() {
  const asked: string[] = [];
  const answers: ((readiness: Readiness | Error) => void)[] = [];
  const fleet = {
    readiness: (model: string) => {
      asked.push(model);
      return new Promise<Readiness>((resolve, reject) => {
        answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      });
    },
  };
  let now = 0;
  const found = new Looks(fleet, () => now);
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { looks: found, asked, answers, pass };
}

describe("a look at a model's workers", () => {
  it("is one for all who ask while it lasts, however long that is, and for a second more", async () => {
    const { looks: one, asked, answers, pass } = looks();
    const first = one.readiness("a", never);
    pass(8_000);
    const second = one.readiness("a", never);
    expect(asked).toEqual(["a"]);
    answers[0]?.(READY);
    expect(await Promise.all([first, second])).toEqual([READY, READY]);
    pass(900);
    expect(await one.readiness("a", never)).toBe(READY);
    pass(200);
    void one.readiness("a", never);
    void one.readiness("b", never);
    expect(asked).toEqual(["a", "a", "b"]);
  });

  it("is made anew when it failed, or has turned out to be wrong", async () => {
    const { looks: one, asked, answers } = looks();
    const failed = one.readiness("a", never);
    answers[0]?.(new Error("away"));
    await expect(failed).rejects.toThrow("away");
    const good = one.readiness("a", never);
    answers[1]?.(READY);
    await good;
    one.forget("a");
    void one.readiness("a", never);
    expect(asked).toEqual(["a", "a", "a"]);
  });

  it("goes on for the others when one of them waits no longer", async () => {
    const { looks: one, asked, answers } = looks();
    const impatient = new AbortController();
    const gone = one.readiness("a", impatient.signal);
    const patient = one.readiness("a", never);
    impatient.abort(new Error("no longer"));
    await expect(gone).rejects.toThrow("no longer");
    answers[0]?.(READY);
    expect(await patient).toBe(READY);
    expect(asked).toEqual(["a"]);
  });
});
