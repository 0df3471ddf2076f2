import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runRounds, type TrialResult } from "../../../components/gpu/scripts/rounds.ts";
import { atNight } from "../../harness/property-runs";

/** A pool whose nodes are good or bad, free or busy, tried as the real ones are. */
function pool(bad: ReadonlySet<string>, busy: ReadonlySet<string> = new Set()) {
  const inTrial = new Set<string>();
  const certified: string[] = [];
  const trials: string[] = [];
  const trial = async (one: string, other: string): Promise<TrialResult> => {
    for (const node of [one, other]) {
      expect(inTrial.has(node), `${node} is in two trials at a time`).toBe(false);
      inTrial.add(node);
    }
    trials.push(`${one} ${other}`);
    await new Promise((resolve) => setImmediate(resolve));
    inTrial.delete(one);
    inTrial.delete(other);
    const without = [one, other].filter((node) => busy.has(node));
    if (without.length > 0) {
      return { ended: "none", reason: `no room on ${without.join(" and ")}`, busy: without };
    }
    const kind = bad.has(one) || bad.has(other) ? "slow" : "good";
    return { ended: "verdict", verdict: { kind, reason: "100 GB/s" } };
  };
  return { trial, trials, certified, certify: async (node: string) => void certified.push(node) };
}

async function states(uncertified: string[], certified: string[], bad: string[], busy: string[] = []) {
  const { trial, trials, certify } = pool(new Set(bad), new Set(busy));
  const fates = await runRounds({ uncertified, certified, trial, certify });
  return { trials, states: Object.fromEntries([...fates].map(([node, { state }]) => [node, state])) };
}

describe("rounds", () => {
  it("try two new nodes with each other", async () => {
    expect(await states(["b", "a"], ["old"], [])).toEqual({
      trials: ["a b"],
      states: { a: "certified", b: "certified" },
    });
  });

  it("try an odd one with a node that was certified a moment ago", async () => {
    expect(await states(["a", "b", "c"], [], [])).toEqual({
      trials: ["a b", "c a"],
      states: { a: "certified", b: "certified", c: "certified" },
    });
  });

  it("find out which of two is bad where there is a third", async () => {
    const { trials, states: found } = await states(["a", "b"], ["old"], ["b"]);
    expect(trials).toEqual(["a b", "a old", "b old"]);
    expect(found).toEqual({ a: "certified", b: "refused" });
  });

  it("hold both back where there is none", async () => {
    expect((await states(["a", "b"], [], ["b"])).states).toEqual({ a: "suspect", b: "suspect" });
    expect((await states(["a", "b"], ["old"], ["b"], ["old"])).states).toEqual({ a: "suspect", b: "suspect" });
  });

  it("leave a single node for later, and one whose helpers are busy", async () => {
    expect(await states(["a"], [], [])).toEqual({ trials: [], states: { a: "waiting" } });
    expect(await states(["a"], ["o1", "o2"], [], ["o1", "o2"])).toEqual({
      trials: ["a o1", "a o2"],
      states: { a: "waiting" },
    });
  });

  it("never certify a bad node nor refuse a good one, and leave no good node open that a free one could vouch for", async () => {
    const nodes = (prefix: string, most: number) =>
      fc.integer({ min: 0, max: most }).map((count) => Array.from({ length: count }, (_, i) => `${prefix}${i}`));
    await fc.assert(
      fc.asyncProperty(
        nodes("n", 9),
        nodes("o", 3),
        fc.infiniteStream(fc.boolean()),
        fc.infiniteStream(fc.boolean()),
        async (fresh, old, badness, business) => {
          const bad = new Set(fresh.filter(() => badness.next().value));
          const busy = new Set(old.filter(() => business.next().value));
          const { trial, certify, certified } = pool(bad, busy);
          const fates = await runRounds({ uncertified: fresh, certified: old, trial, certify });
          expect([...fates.keys()].sort()).toEqual([...fresh].sort());
          const vouched = certified.length > 0 || old.some((node) => !busy.has(node));
          for (const [node, { state }] of fates) {
            if (bad.has(node)) {
              expect(state, node).not.toBe("certified");
            } else {
              expect(state, node).not.toBe("refused");
              if (vouched) {
                expect(state, node).toBe("certified");
              }
            }
          }
        },
      ),
      { numRuns: atNight(300) },
    );
  });
});
