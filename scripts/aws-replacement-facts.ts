/**
 * Makes test/fixtures/upstream/aws-replacement.json: of every AWS resource that our program makes, which arguments there are by
 * the SDK's declarations, and which of them make a new resource by scripts/aws-replacements.ts.
 * `npx tsx scripts/aws-replacement-facts.ts` after a new @pulumi/aws, or where that table has changed.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../names/repository-root";
import { AWS_REPLACEMENTS } from "./aws-replacements";
import type { ArgumentFact, ReplacementFacts } from "./replacement-facts";
import { SdkArguments } from "./sdk-arguments";

export const AWS_FACTS_FILE = join(repositoryRoot(), "test/fixtures/upstream/aws-replacement.json");

/** What the fixture says. */
export function awsReplacementFacts(sdk: SdkArguments): ReplacementFacts {
  const replacing = Object.assign({}, ...AWS_REPLACEMENTS.map((group) => group.replacing)) as Readonly<
    Record<string, readonly string[]>
  >;
  const types = Object.keys(replacing).sort();
  return {
    about:
      "Made by scripts/aws-replacement-facts.ts. Do not edit. Arguments by the SDK's declarations; those that make a new resource by scripts/aws-replacements.ts.",
    component: sdk.component,
    version: sdk.version,
    corrections: "hashicorp/terraform-provider-aws, by file and commit in scripts/aws-replacements.ts",
    resources: Object.fromEntries(types.map((type) => [type, factsOf(type, replacing[type] ?? [], sdk)])),
  };
}

function factsOf(type: string, replacing: readonly string[], sdk: SdkArguments): Record<string, ArgumentFact> {
  const facts = Object.entries(sdk.of(type)).map(([path, { required, map }]): [string, ArgumentFact] => [
    path,
    { ...(required && { required }), ...(replacing.includes(path) && { replaces: true }), ...(map && { map }) },
  ]);
  return Object.fromEntries(facts);
}

if (process.argv[1] === __filename) {
  writeFileSync(AWS_FACTS_FILE, `${JSON.stringify(awsReplacementFacts(new SdkArguments("aws")), undefined, 1)}\n`);
}
