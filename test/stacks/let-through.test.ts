import { describe, expect, it } from "vitest";
import { allows, parsePolicy } from "../harness/network-policies";
import { KNOWN_CHARTS } from "../harness/reach/charts";
import { WANTED_KINDS, type Wanted, wantedConnections } from "../harness/reach/wanted";
import { type RecordedObject, recordedObjects } from "../harness/recorded-objects";
import { WIDER_ENVIRONMENTS, widerRun } from "./wider-runs";

async function objectsOf(name: (typeof WIDER_ENVIRONMENTS)[number]): Promise<RecordedObject[]> {
  return recordedObjects((await widerRun(name)).resources);
}

/** What policies do not declare, they do not open: a connection that is in no list of the product's is found by what needs it. */
describe.each(WIDER_ENVIRONMENTS)("the NetworkPolicies of %s", (name) => {
  it("let through all that routes, monitors, charts and settings of pods connect to", async () => {
    const objects = await objectsOf(name);
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy").map(({ inputs }) => parsePolicy(inputs));
    const stopped = wantedConnections(objects).filter(({ from, to, at }) => !allows(policies, from, to, at));
    expect(stopped.map(described)).toEqual([]);
  });
});

function described({ need, from, to, at }: Wanted): string {
  const [one, other] = [from, to].map((end) =>
    "address" in end ? end.address : `${end.namespace} ${JSON.stringify(end.labels)}`,
  );
  return `${need}: ${one} to ${other} at ${at.port}/${at.protocol}`;
}

// By itself it runs all of them.
it("every kind of connection is in some environment, and every chart of the table", async () => {
  const kinds = new Set<string>();
  const charts = new Set<string>();
  for (const name of WIDER_ENVIRONMENTS) {
    const objects = await objectsOf(name);
    for (const { kind } of wantedConnections(objects)) {
      kinds.add(kind);
    }
    for (const { kind, name: release } of objects) {
      charts.add(kind === "Release" ? release : "");
    }
  }
  expect(WANTED_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
  expect(KNOWN_CHARTS.filter((chart) => !charts.has(chart))).toEqual([]);
}, 300_000);
