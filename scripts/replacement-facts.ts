/**
 * Makes test/fixtures/upstream/oci-replacement.json: of every resource of Oracle Cloud that our program makes, which arguments
 * there are, and which of them cannot be changed without a new resource. The provider's own schema is not published apart from
 * its binary; the SDK's comments are made of it. `npx tsx scripts/replacement-facts.ts` after a new @pulumi/oci, or where the
 * program makes a resource of another type.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../names/repository-root";
import { runEnvironment } from "../offline/environment";
import { formatProblems, parseEnvironmentFile } from "../stacks/config";
import { CORRECTIONS, CORRECTIONS_SOURCE } from "./replacement-corrections";
import { type Arguments, SdkArguments } from "./sdk-arguments";

/** What the fixture says of one argument. */
export interface ArgumentFact {
  readonly required?: true;
  /** A change makes a new resource in place of the old one. */
  readonly replaces?: true;
  /** Its keys are the user's own. */
  readonly map?: true;
}

export interface ReplacementFacts {
  readonly about: string;
  readonly component: string;
  readonly version: string;
  readonly corrections: string;
  /** By token; arguments by path, list items by the path of their list. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, ArgumentFact>>>>;
}

export const FACTS_FILE = join(repositoryRoot(), "test/fixtures/upstream/oci-replacement.json");

/** The environments of this repository in which we make the cluster on Oracle Cloud. */
const ENVIRONMENTS = ["oci-a10", "oci-h100"];

/** What other settings make: a public endpoint, a compute cluster, nodes that join by themselves. */
const BY_OTHER_SETTINGS = [
  "oci:Core/clusterNetwork:ClusterNetwork",
  "oci:Core/computeCluster:ComputeCluster",
  "oci:Core/instanceConfiguration:InstanceConfiguration",
  "oci:Core/instancePool:InstancePool",
  "oci:Core/internetGateway:InternetGateway",
  "oci:Core/natGateway:NatGateway",
  "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule",
  "oci:Core/routeTable:RouteTable",
  "oci:Core/securityList:SecurityList",
  "oci:Core/serviceGateway:ServiceGateway",
  "oci:Identity/dynamicGroup:DynamicGroup",
];

/** Tokens of the Oracle Cloud resources that our program makes, sorted. */
async function typesInUse(): Promise<string[]> {
  const types = new Set(BY_OTHER_SETTINGS);
  // One after the other: the SDK's runtime keeps its state in globals.
  for (const name of ENVIRONMENTS) {
    for (const type of await typesOf(name)) {
      types.add(type);
    }
  }
  return [...types].sort();
}

async function typesOf(name: string): Promise<string[]> {
  const fileName = `Pulumi.${name}.yaml`;
  const file = parseEnvironmentFile(readFileSync(join(repositoryRoot(), fileName), "utf8"));
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, fileName));
  }
  const { recording } = await runEnvironment({ name, file, baseDirectory: repositoryRoot() });
  return recording.resources.map(({ type }) => type).filter((type) => type.startsWith("oci:"));
}

/** What the fixture says of these types. */
export function replacementFacts(types: readonly string[], sdk: SdkArguments): ReplacementFacts {
  return {
    about:
      "Made by scripts/replacement-facts.ts. Do not edit. An argument whose comment in the SDK does not begin with (Updatable) makes a new resource, but for the corrections of scripts/replacement-corrections.ts.",
    component: sdk.component,
    version: sdk.version,
    corrections: CORRECTIONS_SOURCE,
    resources: Object.fromEntries(types.map((type) => [type, factsOf(type, sdk.of(type))])),
  };
}

function factsOf(type: string, args: Arguments): Record<string, ArgumentFact> {
  const corrections = CORRECTIONS.filter((correction) => correction.type === type);
  const facts = Object.entries(args).map(([path, { required, updatable, map }]): [string, ArgumentFact] => {
    const correction = corrections.find(({ paths }) => paths.some((pattern) => covers(pattern, path)));
    const replaces = correction === undefined ? !updatable : correction.means === "replacement";
    return [path, { ...(required && { required }), ...(replaces && { replaces }), ...(map && { map }) }];
  });
  return Object.fromEntries(facts);
}

/** Whether a correction's path means this one. */
export function covers(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}

if (process.argv[1] === __filename) {
  typesInUse().then((types) => {
    writeFileSync(FACTS_FILE, `${JSON.stringify(replacementFacts(types, new SdkArguments()), undefined, 1)}\n`);
  });
}
