import { describe, expect, test } from "vitest";
import { annotationsFor } from "../../../../services/model-control/src/fleet/keda";
import { AUTOSCALER_WORDS } from "../../../../services/model-control/src/fleet/scaler";

const PAUSED = "autoscaling.keda.sh/paused";
const FORCED = "autoscaling.keda.sh/force-activation";
const TOLD = "inference-stacks.io/model-control";

const STOPPED = { [PAUSED]: "true", [TOLD]: "stopped" };
const WANTED = { [FORCED]: "true", [TOLD]: "wanted" };

describe("what KEDA is told", () => {
  test.each([
    ["stopped", {}, STOPPED],
    ["stopped", STOPPED, {}],
    ["stopped", WANTED, { [FORCED]: null, ...STOPPED }],
    ["wanted", {}, WANTED],
    ["wanted", WANTED, {}],
    ["wanted", STOPPED, { [PAUSED]: null, ...WANTED }],
    ["free", {}, {}],
    ["free", STOPPED, { [PAUSED]: null, [TOLD]: null }],
    ["free", WANTED, { [FORCED]: null, [TOLD]: null }],
  ] as const)("%s after %j changes %j", (word, now, changes) => {
    expect(annotationsFor(now, word)).toEqual(changes);
  });

  test.each([
    ["stopped", { [PAUSED]: "true" }, {}],
    ["stopped", { [PAUSED]: "yes, please" }, {}],
    ["stopped", { [PAUSED]: "false" }, STOPPED],
    ["free", { [PAUSED]: "true" }, {}],
    ["wanted", { [PAUSED]: "true" }, WANTED],
    ["free", { [PAUSED]: "true", ...WANTED }, { [FORCED]: null, [TOLD]: null }],
    ["wanted", { [FORCED]: "true" }, {}],
    ["stopped", { [FORCED]: "true" }, STOPPED],
  ] as const)("%s beside what somebody else has told (%j) changes %j", (word, now, changes) => {
    expect(annotationsFor(now, word)).toEqual(changes);
  });

  test("whatever is told, saying it again changes nothing, and what is taken back is gone", () => {
    for (const first of AUTOSCALER_WORDS) {
      for (const then of AUTOSCALER_WORDS) {
        const now = [first, then].reduce(applied, { other: "stays" });
        expect(annotationsFor(now, then)).toEqual({});
        expect(applied(now, "free")).toEqual({ other: "stays" });
      }
    }
  });
});

function applied(
  now: Readonly<Record<string, string>>,
  word: (typeof AUTOSCALER_WORDS)[number],
): Record<string, string> {
  const merged = Object.entries({ ...now, ...annotationsFor(now, word) });
  return Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}
