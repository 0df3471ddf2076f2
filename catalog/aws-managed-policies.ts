import table from "./aws-managed-policies.json";

/** A managed policy of AWS, by its name. */
export type ManagedPolicyName = keyof typeof table.policies;

/** What of its ARN follows `policy/`: its path, where it has one, and its name. */
export function managedPolicyPath(name: ManagedPolicyName): string {
  return table.policies[name];
}
