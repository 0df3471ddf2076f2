import { policies } from "../../policies/all";
import { evaluatePolicies } from "../../policies/evaluate";
import type { ResourcePolicy, StackPolicy } from "../../policies/lib/policy";
import { markdownTable } from "../../stacks/config/markdown-table";
import { ATTACKS } from "../../test/policies/attacks/all";
import { code, page } from "./page";

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
    ...(example === undefined ? [] : [`**Refused:** ${example.what}.`, `\`\`\`text\n${example.message}\n\`\`\``]),
  ].join("\n\n");
}

/** The first attack that is about the policy. @default undefined: it judges figures of a plan, which a resource alone does not have */
function exampleOf(
  policy: ResourcePolicy | StackPolicy,
): { readonly what: string; readonly message: string } | undefined {
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
  return undefined;
}
