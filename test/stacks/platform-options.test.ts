import { expect, it } from "vitest";
import { devPlatform } from "./dev-platform";

it("the platform runs transformations of its caller on every resource, besides its own", async () => {
  const seen = new Set<string>();
  const transformations = [({ name }: { readonly name: string }) => void seen.add(name)];
  const deployment = await devPlatform({}, { transformations });
  const own = deployment.recording.resources.filter(({ urn }) => urn.includes("::inference:platform:Platform"));
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter(({ name }) => !seen.has(name)).map(({ name }) => name)).toEqual([]);
});
