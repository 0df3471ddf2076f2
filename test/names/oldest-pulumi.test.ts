import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { OLDEST_PULUMI } from "../../names/oldest-pulumi";
import { repositoryRoot } from "../../names/repository-root";
import { PARTS } from "../../rehearsal/parts/parts";

it("is what Pulumi.yaml requires", () => {
  const { requiredPulumiVersion } = parse(readFileSync(join(repositoryRoot(), "Pulumi.yaml"), "utf8"));
  expect(requiredPulumiVersion).toBe(`>=${OLDEST_PULUMI}`);
  expect(PARTS.find(({ name }) => name === "pulumi")?.oldest).toBe(OLDEST_PULUMI);
});
