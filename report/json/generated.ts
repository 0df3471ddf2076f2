/** Page of keys and JSON Schema of `plan --json`. */
import { z } from "zod";
import { markdownTable } from "../../stacks/config/markdown-table";
import { DOCUMENT, type KeyRow, keyRows } from "./rows";
import { planSchema, SCHEMA_VERSION } from "./schema";

/** Where they lie, from the repository root. */
export const PLAN_PAGE_FILE = "docs/plan-json.md";
export const PLAN_SCHEMA_FILE = "schemas/plan.schema.json";

const INTRODUCTION = `# The plan as JSON

<!-- Generated from report/json by npm run schema. Do not edit. -->

Every key that a plan prints as JSON, with type and unit, and what stays stable between releases.

\`npm run -s plan -- <environment> --json\` prints one document on standard output: with exit status 0 (deployable) and 1 (forbidden: the
mandatory entries of \`violations\` say why) it has every key below. With exit status 2 the input was refused before there was a plan:
standard output is empty, and standard error has the list of mistakes. (It is 2 as well where \`--html\` could not write its page.)
With [\`jq\`](https://jqlang.org/download/):

\`\`\`sh
npm run -s plan -- oci-h100 --json | jq '.models[] | {name, pool, monthlyUsd}'
npm run -s plan -- oci-h100 --json | jq -r '.violations[] | select(.severity == "mandatory") | .message'
\`\`\`

## What is promised

\`schemaVersion\` is ${SCHEMA_VERSION}. It is raised, and the changelog says so, when a key goes or changes its name, its type, its unit or its
meaning, or is no longer always there. It is **not** raised for new keys, nor for new values where a key has one of several (engines, rules,
policies): read what you need and leave the rest. Texts (\`message\`, \`notes\`, \`basis\`, \`difference\`) are for people: their wording may change.
Keys are in no promised order. The same file with the same release gives the same document.

GiB is 2^30 bytes, GB 10^9 bytes. A month is 730 hours. \`schemas/plan.schema.json\` is the same as a JSON Schema, which takes unknown keys.

## Keys

A dash means that the key can be absent; the others are present wherever their parent is.

`;

export function planPage(): string {
  return `${INTRODUCTION}${keyTable(keyRows())}`;
}

/** Keys as a page shows them. */
export function keyTable(keys: readonly KeyRow[]): string {
  const rows = keys.map(({ path, description, type, unit, isOptional }) => [
    `\`${path}\``,
    isOptional ? "–" : "always",
    description,
    unit === undefined ? type : `${type} (${unit})`,
  ]);
  return markdownTable(["Key", "There", "What it is", "Type"], rows);
}

export function planSchemaText(): string {
  const schema = {
    ...z.toJSONSchema(planSchema, { ...DOCUMENT, override: ({ jsonSchema }) => loosen(jsonSchema) }),
    title: `Plan of inference-stacks (plan --json), version ${SCHEMA_VERSION}`,
    description: "Generated from report/json by npm run schema. Do not edit.",
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Accepts additions of later releases, and drops keywords of ours. */
function loosen(schema: Record<string, unknown>): void {
  if (schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  if (schema.type === "string" && schema.enum !== undefined) {
    schema.examples = schema.enum;
    delete schema.enum;
  }
  delete schema.unit;
  delete schema.discriminator;
}
