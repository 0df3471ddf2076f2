import { expect, it } from "vitest";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { metadataOf } from "./kubernetes";
import { changedRun } from "./run";

const gateway = {
  hostname: "llm.example.com",
  tls: { kind: "acme", email: "platform@example.com" },
  consumers: ["web", "batch"],
};

/** What the gateway is made of, by name; and how many models have salts. */
async function parts(prefixCaches: object) {
  const { resources } = await changedRun("aws-prod", { gateway: { ...gateway, prefixCaches } });
  const own = resources.filter((each) => "metadata" in each.inputs && metadataOf(each).namespace === GATEWAY_NAMESPACE);
  const salted = resources.filter(({ name, type }) => type.endsWith(":RandomPassword") && name.includes("cache-salt"));
  return { objects: Object.fromEntries(own.map(({ name, inputs }) => [name, inputs])), salted: salted.length };
}

it("salts prompts in engines: no object of the gateway changes, so requests take as long there", async () => {
  const apart = await parts({});
  const whole = await parts({ share: [["web", "batch"]] });
  expect([apart.salted > 0, whole.salted]).toEqual([true, 0]);
  expect(Object.keys(apart.objects).length).toBeGreaterThan(30);
  expect(apart.objects).toEqual(whole.objects);
});
