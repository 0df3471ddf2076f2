import { describe, expect, it } from "vitest";
import { problemsWith } from "./samples";

/** What is changed, the one problem that must be found, and what its texts must contain. */
export type RuleCase = readonly [string, Record<string, unknown>, { path: string; allowed?: string; fix: string }];

/** Tests that each change of a right environment is refused, at one path and with these texts. */
export function ruleCases(cases: readonly RuleCase[]): void {
  describe("rules between fields", () => {
    it.each(cases)("find %s", (_, changes, { path, allowed = "", fix }) => {
      const problems = problemsWith(changes);
      expect(problems.map((problem) => problem.path)).toEqual([path]);
      expect(problems[0]?.allowed).toContain(allowed);
      expect(problems[0]?.fix).toContain(fix);
    });
  });
}
