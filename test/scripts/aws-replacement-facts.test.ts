import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AWS_FACTS_FILE, awsReplacementFacts } from "../../scripts/aws-replacement-facts";
import { AWS_REPLACEMENTS } from "../../scripts/aws-replacements";
import type { ReplacementFacts } from "../../scripts/replacement-facts";
import { SdkArguments } from "../../scripts/sdk-arguments";
import { programRun } from "../stacks/run";

const kept = JSON.parse(readFileSync(AWS_FACTS_FILE, "utf8")) as ReplacementFacts;
const sdk = new SdkArguments("aws");
const AGAIN = "Run npx tsx scripts/aws-replacement-facts.ts";

describe("the replacement facts of AWS resources", () => {
  test("are what the installed SDK and the table say", () => {
    expect(awsReplacementFacts(sdk), AGAIN).toEqual(kept);
  });

  test("cover every resource that aws-prod makes", async () => {
    const types = (await programRun("aws-prod")).resources
      .map(({ type }) => type)
      .filter((type) => type.startsWith("aws:"));
    expect(
      types.filter((type) => kept.resources[type] === undefined),
      "Add it to scripts/aws-replacements.ts",
    ).toEqual([]);
  });

  test("are about arguments that the SDK has, of one group each", () => {
    const rows = AWS_REPLACEMENTS.flatMap(({ replacing }) => Object.entries(replacing));
    const unknown = rows.flatMap(([type, paths]) => paths.filter((path) => sdk.of(type)[path] === undefined));
    expect(unknown).toEqual([]);
    expect(new Set(rows.map(([type]) => type)).size).toBe(rows.length);
  });

  test("name the file and the commit that they were read from", () => {
    for (const { source } of AWS_REPLACEMENTS) {
      expect(source ?? "internal/x/y.go@0000000000000000000000000000000000000000").toMatch(
        /^internal\/[\w/]+\.go@[0-9a-f]{40}$/,
      );
    }
  });

  test("let a group of nodes get another version of its template in place, and no other subnets", () => {
    const group = kept.resources["aws:eks/nodeGroup:NodeGroup"];
    expect(group?.["launchTemplate.version"]).toEqual({ required: true });
    expect(group?.["scalingConfig.minSize"]).toEqual({ required: true });
    expect(group?.subnetIds).toEqual({ required: true, replaces: true });
  });
});
