import { expect, test } from "vitest";
import { evaluatePolicies, type RecordedInputs } from "../../policies/evaluate";
import type { ResourcePolicy, StackPolicy } from "../../policies/lib/policy";

export * from "./subjects";

/** Pass, unknown, or the texts that the messages contain: one per violation, in order. */
export type Expectation = "pass" | "unknown" | readonly string[];
export type Case = readonly [what: string, resources: readonly RecordedInputs[], expected: Expectation];

/** One test per case, of one policy. */
export function policyCases(
  policy: ResourcePolicy | StackPolicy,
  cases: readonly Case[],
  options: { readonly stage?: "production" | "development" } = {},
): void {
  test.each(cases.map(([what, resources, expected]) => ({ what, resources, expected })))(
    "$what",
    ({ resources, expected }) => {
      const evaluation = evaluatePolicies(resources, {
        project: "inference-stacks",
        stack: "test",
        policies: [policy],
        ...options,
      });
      const messages = evaluation.violations.map(({ message }) => message);
      if (expected === "pass" || expected === "unknown") {
        expect(messages).toEqual([]);
        expect(evaluation.undecided.map(({ policy: name }) => name)).toEqual(expected === "pass" ? [] : [policy.name]);
        expect(evaluation.passed).toBe(1);
        return;
      }
      expect(messages).toHaveLength(expected.length);
      for (const [index, text] of expected.entries()) {
        expect(messages[index]).toContain(text);
        expect(messages[index]).toMatch(/: \S.* (is|has|holds|claims|says) .*; allowed: .+; fix: .+\.$/s);
      }
      expect(evaluation.undecided).toEqual([]);
      expect(evaluation.failed + evaluation.warned).toBe(1);
    },
  );
}
