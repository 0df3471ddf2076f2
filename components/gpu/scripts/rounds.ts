/** Who is tried with whom, until every node that waits is certified, refused, or has nobody to be tried with: pure of any API. */
import type { Verdict } from "./verdict.ts";

/**
 * How a trial of two nodes ended. `none`: without a verdict, because a node was busy, or something took the trial away; `busy`
 * names the nodes that could not take part.
 */
export type TrialResult =
  | { readonly ended: "verdict"; readonly verdict: Verdict }
  | { readonly ended: "none"; readonly reason: string; readonly busy: readonly string[] };

/** What became of a node. */
export type Fate =
  | { readonly state: "certified"; readonly reason: string; readonly with: string }
  /** It failed with a node that is good. */
  | { readonly state: "refused"; readonly reason: string; readonly with: string }
  /** It, or the one that it was tried with, is bad: there was no third node to tell which. */
  | { readonly state: "suspect"; readonly reason: string; readonly with: string }
  /** Nothing was found out. */
  | { readonly state: "waiting"; readonly reason: string };

export interface RoundsArgs {
  /** Nodes that wait for their certificate. */
  readonly uncertified: readonly string[];
  /** Nodes that have it, which may lend themselves. */
  readonly certified: readonly string[];
  /** Tries two nodes. Never runs twice on one node at a time. */
  readonly trial: (one: string, other: string) => Promise<TrialResult>;
  /** Called as soon as a node is known to be good, before the next round. */
  readonly certify: (node: string, fate: Fate) => Promise<void>;
}

/**
 * First the uncertified nodes among themselves, in pairs, all at once. Of a pair that fails either may be at fault, so each is
 * tried again with a node that is known to be good; and so is an odd one.
 *
 * @returns what became of each uncertified node.
 */
export async function runRounds({ uncertified, certified, trial, certify }: RoundsArgs): Promise<Map<string, Fate>> {
  const fates = new Map<string, Fate>();
  const good: string[] = [];
  const settle = async (node: string, fate: Fate) => {
    fates.set(node, fate);
    if (fate.state === "certified") {
      await certify(node, fate);
      good.push(node);
    }
  };

  const open: string[] = [];
  const pairs = pairsOf([...uncertified].sort());
  await Promise.all(
    pairs.map(async (pair) => {
      const [one, other] = pair;
      if (other === undefined) {
        fates.set(one, { state: "waiting", reason: "there is no second node to try it with" });
        open.push(one);
        return;
      }
      const result = await trial(one, other);
      for (const [node, partner] of [
        [one, other],
        [other, one],
      ] as const) {
        const fate = fateOf(result, partner, "suspect");
        await settle(node, fate);
        if (fate.state !== "certified") {
          open.push(node);
        }
      }
    }),
  );

  // Who was certified a moment ago is free for sure: those first.
  const helpers = [...good, ...[...certified].sort()];
  const asked = new Map<string, Set<string>>(open.map((node) => [node, new Set()]));
  for (let round = assign(open.sort(), helpers, asked); round.length > 0; round = assign(open, helpers, asked)) {
    await Promise.all(
      round.map(async ([node, helper]) => {
        asked.get(node)?.add(helper);
        const result = await trial(node, helper);
        if (result.ended === "none" && result.busy.includes(helper) && !result.busy.includes(node)) {
          helpers.splice(helpers.indexOf(helper), 1);
          const known = fates.get(node);
          if (known?.state === "waiting") {
            fates.set(node, { ...known, reason: `no certified node is free: ${result.reason}` });
          }
          return;
        }
        open.splice(open.indexOf(node), 1);
        const known = fates.get(node);
        const fate = fateOf(result, helper, "refused");
        // A trial without a verdict takes back nothing of what is known.
        if (fate.state !== "waiting" || known?.state !== "suspect") {
          await settle(node, fate);
        }
        if (fate.state === "certified") {
          helpers.push(node);
        }
      }),
    );
  }
  return fates;
}

/** Each node that waits with a helper of its own that it has not asked yet. */
function assign(
  open: readonly string[],
  helpers: readonly string[],
  asked: ReadonlyMap<string, ReadonlySet<string>>,
): [string, string][] {
  const taken = new Set<string>();
  return open.flatMap((node): [string, string][] => {
    const helper = helpers.find((each) => !taken.has(each) && each !== node && !asked.get(node)?.has(each));
    if (helper === undefined) {
      return [];
    }
    taken.add(helper);
    return [[node, helper]];
  });
}

function fateOf(result: TrialResult, partner: string, failed: "suspect" | "refused"): Fate {
  if (result.ended === "none") {
    return { state: "waiting", reason: result.reason };
  }
  const { kind, reason } = result.verdict;
  const told = `${kind}: ${reason}`;
  return { state: kind === "good" ? "certified" : failed, reason: told, with: partner };
}

function pairsOf(nodes: readonly string[]): (readonly [string, string?])[] {
  return nodes.flatMap((node, index): (readonly [string, string?])[] => {
    const next = nodes[index + 1];
    return index % 2 === 1 ? [] : [next === undefined ? [node] : [node, next]];
  });
}
