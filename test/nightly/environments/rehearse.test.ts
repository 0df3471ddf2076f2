import { describe, expect, it } from "vitest";
import { reportOf } from "../../e2e/rehearse/report-of";

// Of every change: the scheduler's words for a group whose node is lost (test/e2e/rehearse.test.ts), and what is made of them where one
// was never there (test/rehearsal/report/assess.test.ts).
describe("npm run rehearse, on a real control plane", { timeout: 300_000 }, () => {
  it("says which group waits for what with one H100 node too few", async () => {
    const { status, report } = await reportOf("oci-h100", "--nodes", "h100=1");
    expect(status).toBe(1);
    const broken = report.findings.filter(({ severity }) => severity === "broken");
    expect(broken).toEqual([
      {
        severity: "broken",
        rule: "groups",
        subject: "group llama-405b-0",
        message: expect.stringMatching(
          /^waits for 1 of 2 pods: worker 1: 0\/5 nodes are available: .*nvidia\.com\/gpu/,
        ),
      },
    ]);
    expect([report.drains, report.losses]).toEqual([[], []]);
  });
});
