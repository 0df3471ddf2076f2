/** Policies share what they look at: what one could not know must be told of each of them. */
import { expect, it } from "vitest";
import { Field, snapshot, UNKNOWN } from "../../../policies/lib/field";
import { propertiesBelow } from "../../../policies/lib/properties";
import { type ResourceFacts, toResources } from "../../../policies/lib/resource";

const services = (items: unknown): ResourceFacts => ({
  type: "kubernetes:core/v1:ServiceList",
  name: "list",
  urn: "urn:list",
  props: { items },
  opts: { protect: false },
});

it("gives the same resource to each check, and tells each what could not be known", () => {
  const unknownPaths = new Set(["before"]);
  const facts = services(UNKNOWN);
  const first = toResources(facts, unknownPaths);
  expect([...unknownPaths]).toEqual(["before", "items"]);
  unknownPaths.clear();
  expect(toResources({ ...facts }, unknownPaths)).toBe(first);
  expect([...unknownPaths]).toEqual(["items"]);
});

it("shares nothing between checks that remember apart, nor between resources with the same properties", () => {
  const unknownPaths = new Set<string>();
  const facts = services({});
  const first = toResources(facts, unknownPaths);
  expect(toResources({ ...facts, name: "other" }, unknownPaths)[0]?.name).toBe("other");
  expect(toResources(facts, new Set())).not.toBe(first);
});

it("reads the properties of a field once, unless one of them is unknown", () => {
  const unknownPaths = new Set<string>();
  const known = new Field(snapshot({ a: { b: 1 } }), "", unknownPaths);
  expect(propertiesBelow(known)).toBe(propertiesBelow(known));
  const unknown = new Field(snapshot([{ a: 1 }, UNKNOWN]), "list", unknownPaths);
  expect(propertiesBelow(unknown).map(({ key }) => key)).toEqual(["a"]);
  unknownPaths.clear();
  propertiesBelow(unknown);
  expect([...unknownPaths]).toEqual(["list[1]"]);
});
