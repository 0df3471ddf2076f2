import { keyTable } from "../../report/json/generated";
import { keyRows } from "../../report/json/rows";
import { FLEET_SCHEMA_VERSION, fleetPlanSchema, fleetStatusSchema } from "./result";

/** From the repository root. */
export const FLEET_PAGE_FILE = "docs/fleet-json.md";

/** Page of `fleet --json`'s keys. */
export function fleetPage(): string {
  return `# A fleet as JSON

<!-- Generated from cli/fleet/result.ts by npm run schema. Do not edit. -->

\`npm run -s fleet -- plan --json\` and \`npm run -s fleet -- status --json\` print one document each on standard output, whatever is wrong with
nodes ([the exit status](fleet.md#exit-status) says whether something is). Only where the fleet's file itself cannot be used is standard output
empty, and standard error has the list of mistakes. With [\`jq\`](https://jqlang.org/download/):

\`\`\`sh
npm run -s fleet -- plan --json | jq -r '.nodes[] | select(.verdict != "deployable") | .name'
npm run -s fleet -- plan --json | jq '[.nodes[] | {name, monthlyUsd: .plan.cost.monthlyUsd}]'
npm run -s fleet -- status --json | jq -r '.nodes[] | select(.verdict == "not-asked") | "\\(.name): \\(.failure)"'
\`\`\`

\`schemaVersion\` is ${FLEET_SCHEMA_VERSION}, with the same promise as that of [the plan](plan-json.md#what-is-promised): it is raised when a key goes or changes, not for new
ones. \`nodes[].plan\` has the keys of \`plan --json\` but \`resources\`, and \`nodes[].status\` those of [\`status --json\`](status.md).

## Keys of the plan

A dash means that the key can be absent.

${keyTable(keyRows(fleetPlanSchema))}
## Keys of the status

${keyTable(keyRows(fleetStatusSchema))}`;
}
