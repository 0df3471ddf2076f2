/** What is created before what, and applied before what by Argo CD: in every environment, and with what none of them has. */
import { describe, expect, it } from "vitest";
import { CreationOrder } from "../harness/creation-order";
import { CLOUD_RULES } from "./creation-order/clouds";
import { CONTROLLER_RULES } from "./creation-order/controllers";
import { GATEWAY_RULES } from "./creation-order/gateway";
import { NAMESPACE_RULES } from "./creation-order/namespaces";
import { OrderedProgram, type OrderRule, type Pair } from "./creation-order/program";
import { wavesOf } from "./creation-order/waves";
import { WIDER_ENVIRONMENTS, widerRun } from "./wider-runs";

const RULES = [...CLOUD_RULES, ...NAMESPACE_RULES, ...CONTROLLER_RULES, ...GATEWAY_RULES];

/** What breaks a rule, a line for each pair. */
function broken(program: OrderedProgram, isKept: (pair: Pair, rule: OrderRule) => boolean): string[] {
  return RULES.flatMap((rule) =>
    rule
      .pairs(program)
      .filter((pair) => !isKept(pair, rule))
      .map(([before, after]) => `${rule.rule}\n  ${after.name} does not wait for ${before.name}`),
  );
}

function brokenByPulumi(program: OrderedProgram, order = program.order): string[] {
  return broken(program, ([before, after]) => order.before(after).has(before.urn));
}

function brokenByWaves(program: OrderedProgram): string[] {
  const waves = wavesOf(program.resources);
  return broken(program, ([before, after], { together }) => {
    const [first, later] = [waves.get(before.urn), waves.get(after.urn)];
    // What is not in the cluster is there before the first sync.
    return first === undefined || later === undefined || first < later || (together === true && first === later);
  });
}

describe.each(WIDER_ENVIRONMENTS)("%s", (name) => {
  it("is created in an order that keeps every rule", async () => {
    expect(brokenByPulumi(new OrderedProgram((await widerRun(name)).resources))).toEqual([]);
  });

  it("is applied by Argo CD in such an order", async () => {
    expect(brokenByWaves(new OrderedProgram((await widerRun(name)).resources))).toEqual([]);
  });
});

// By itself it runs all of them.
it("every rule has something to hold, and is broken where nothing waits for anything", async () => {
  const found = new Map<string, boolean>(RULES.map(({ rule }) => [rule, false]));
  for (const name of WIDER_ENVIRONMENTS) {
    const { resources } = await widerRun(name);
    const none = new CreationOrder(resources.map((resource) => ({ ...resource, waitsFor: [] })));
    for (const message of brokenByPulumi(new OrderedProgram(resources), none)) {
      found.set(message.slice(0, message.indexOf("\n")), true);
    }
  }
  expect([...found].filter(([, isBroken]) => !isBroken).map(([rule]) => rule)).toEqual([]);
}, 300_000);
