import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { describe, expect, it } from "vitest";
import { CreationOrder } from "./creation-order";
import { deploy } from "./deploy";

const password = (name: string, options?: pulumi.CustomResourceOptions) =>
  new random.RandomPassword(name, { length: 1 }, options);

describe("the order of creation", () => {
  it("goes through what is waited for, components, parents and outputs", async () => {
    const { recording } = await deploy(() => {
      const first = password("first");
      const group = new pulumi.ComponentResource("test:Group", "group", {}, { dependsOn: [first] });
      const member = password("group-member", { parent: group });
      const taker = new random.RandomPassword("taker", { length: 1, keepers: { of: member.result } });
      password("last", { dependsOn: [taker] });
      password("alone");
    });
    const order = new CreationOrder(recording.resources);
    const namesBefore = (name: string) => {
      const found = recording.resources.find((resource) => resource.name === name);
      const urns = order.before({ urn: found?.urn ?? "" });
      return recording.resources.filter(({ urn, custom }) => custom && urns.has(urn)).map((each) => each.name);
    };
    expect(namesBefore("last")).toEqual(["first", "group-member", "taker"]);
    expect(namesBefore("group-member")).toEqual(["first"]);
    expect(namesBefore("alone")).toEqual([]);
  });
});
