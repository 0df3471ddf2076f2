import { expect, it } from "vitest";
import { alertAdvice } from "../../../stacks/addons/observability/advice";
import { observabilitySection } from "../../../stacks/addons/observability/config";

function advised(alerts: object): string[] {
  const given = {
    settings: observabilitySection.parse({ alerts, runbookUrl: "https://git.acme.io/operations.md" }),
    secrets: { alertPagerdutyKey: "x", alertSlackUrl: "x", alertHeartbeatUrl: "x" },
    plan: { environment: "prod", stage: "production" },
  };
  return alertAdvice(given as unknown as Parameters<typeof alertAdvice>[0]).map(
    ({ rule, subject, message }) => `${rule} ${subject}: ${message}`,
  );
}

it("warnings that reach nobody are pointed out in production", () => {
  expect(advised({ pagerduty: {}, heartbeat: {} })).toEqual([
    expect.stringMatching(/^warnings-to-nobody observability\.alerts: no receiver takes warning.* for pagerduty$/),
  ]);
  expect(advised({ pagerduty: {}, slack: {}, heartbeat: {} })).toEqual([]);
});
