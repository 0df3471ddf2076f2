import { policies } from "../../policies/all";
import { evaluatePolicies } from "../../policies/evaluate";
import type { ResourcePolicy, StackPolicy } from "../../policies/lib/policy";
import { markdownTable } from "../../stacks/config/markdown-table";
import { ATTACKS } from "../../test/policies/attacks/all";
import { code, page } from "./page";

const ENVIRONMENTS = `**In an environment** a policy refuses what its settings ask for: the budget, the service level, memory, the registry of an image, [\`transform\`](../transform.md), [\`pod\`](../pod.md) and \`args\`. The message names the resource and the property: find the setting that it comes from, or take the patch back.
Fixes that name files, functions or components are for changes of this repository's code.`;

/** Every policy, with the message of something that it refuses. */
export function policiesPage(): string {
  const rows = policies.map(({ name, enforcementLevel, severity, description }) => [
    `[${code(name)}](#${name})`,
    enforcementLevel,
    severity,
    description,
  ]);
  return page(
    "Policies",
    "policies and the attacks that its tests try",
    "Every policy: what it demands, how to fix a refusal, and an example with the message that you get. How they run, and what they do not see: [policy as code](../../policies/README.md).",
    ENVIRONMENTS,
    markdownTable(["Policy", "Level", "Severity", "What must hold"], rows),
    ...policies.map(section),
  );
}

function section(policy: ResourcePolicy | StackPolicy): string {
  const { name, enforcementLevel, severity, description, remediationSteps } = policy;
  const example = exampleOf(policy);
  return [
    `## ${name}`,
    `${description} Level: ${enforcementLevel}; severity: ${severity}.`,
    `**Fix.** ${remediationSteps}`,
    `**Refused:** ${example.what}.`,
    `\`\`\`text\n${example.message}\n\`\`\``,
  ].join("\n\n");
}

/** The first attack that is about the policy. @throws Error where there is none */
function exampleOf(policy: ResourcePolicy | StackPolicy): { readonly what: string; readonly message: string } {
  for (const [what, about, resources] of ATTACKS) {
    if (about === policy.name) {
      const { violations } = evaluatePolicies(resources, {
        project: "inference-stacks",
        stack: "example",
        policies: [policy],
      });
      const [violation] = violations;
      if (violation !== undefined) {
        return { what, message: violation.message };
      }
    }
  }
  throw new Error(`no attack in test/policies/attacks is about ${policy.name}: add one, which the page shows`);
}
