/** Pairing of nodes until each is certified, refused or without partner. */
import type { Verdict } from "./verdict.ts";

/** Result of a trial. `none`: no verdict, because of busy nodes, listed in `busy`, or deletion. */
export type TrialResult =
  | { readonly ended: "verdict"; readonly verdict: Verdict }
  | { readonly ended: "none"; readonly reason: string; readonly busy: readonly string[] };

export type Fate =
  | { readonly state: "certified"; readonly reason: string; readonly with: string }
  /** Failed with a good node. */
  | { readonly state: "refused"; readonly reason: string; readonly with: string }
  /** Failed with a node of unknown state: no third node was available. */
  | { readonly state: "suspect"; readonly reason: string; readonly with: string }
  /** No result. */
  | { readonly state: "waiting"; readonly reason: string };

export interface RoundsArgs {
  readonly uncertified: readonly string[];
  /** Certified nodes that can serve as partners. */
  readonly certified: readonly string[];
  /** Tests two nodes. Never concurrent on one node. */
  readonly trial: (one: string, other: string) => Promise<TrialResult>;
  /** Called as soon as a node passes, before the next round. */
  readonly certify: (node: string, fate: Fate) => Promise<void>;
}

/**
 * First tests uncertified nodes in parallel pairs. Nodes of failed pairs, and an odd one, are then
 * tested with a known good node.
 *
 * @returns outcome of each uncertified node.
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

  // Freshly certified nodes are surely free: use them first.
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
        // A trial without a verdict keeps the known state.
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

/** Assigns each waiting node a distinct unused helper. */
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
