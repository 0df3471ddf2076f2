import { type Uptime, uptimeOf } from "../../../catalog/uptime";
import { knownMachine, type Rule } from "../core/rule";
import { madePools } from "./made-pools";

/** Smaller first: it is down whenever the larger is. */
const STANDS_ON = [
  ["node", "zone"],
  ["zone", "region"],
] as const satisfies readonly (readonly [keyof Uptime, keyof Uptime])[];

export const uptimesHoldWhatTheyStandOn: Rule = function* ({ sections: { pools = {} } }) {
  for (const [name, pool] of Object.entries(pools)) {
    const said = pool.uptime ?? {};
    const machine = knownMachine(pool);
    const all = { ...(machine && uptimeOf(machine.provider)), ...said };
    for (const [small, large] of STANDS_ON) {
      const [own, around] = [all[small], all[large]];
      const key = said[small] === undefined ? large : small;
      if (own !== undefined && around !== undefined && own > around && said[key] !== undefined) {
        yield {
          path: ["pools", name, "uptime", key],
          value: said[key],
          allowed: `node ≤ zone ≤ region: a ${small} is away too while its ${large} is (${small} ${own}, ${large} ${around})`,
          fix:
            key === small
              ? `write ${around} or less, or state ${large} too`
              : `write ${own} or more, or state ${small} too`,
        };
      }
    }
  }
};

export const zonesAreCountedWhereOthersMakeNodes: Rule = function* (context) {
  const { cluster } = context.sections;
  if (cluster?.kind !== "aws" && cluster?.kind !== "oci") {
    return;
  }
  for (const [name, { uptime }] of madePools(context)) {
    if (uptime?.zones !== undefined) {
      yield {
        path: ["pools", name, "uptime", "zones"],
        value: uptime.zones,
        allowed: "only for nodes that are not made here",
        fix: `remove it: ${cluster.kind === "aws" ? "zones" : "availabilityDomains"} of the pool counts`,
      };
    }
  }
};
