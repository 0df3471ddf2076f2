import { describe, expect, it } from "vitest";
import { expectedOf } from "../../../cli/status/expected";
import { applicationFact } from "../../../cli/status/facts";
import { gitopsOf, gitopsText } from "../../../cli/status/gitops";
import { sharedRun } from "../../stacks/run";

const NAME = "inference-prod-root";

describe("how far Argo CD is", () => {
  it("is what its Application says, with the commit", () => {
    const fact = applicationFact.parse({
      status: { sync: { status: "Synced", revision: "0123456789abcdef" }, health: { status: "Healthy" } },
    });
    const status = gitopsOf(NAME, fact);
    expect(status).toEqual({
      application: NAME,
      sync: "Synced",
      health: "Healthy",
      revision: "0123456789abcdef",
      messages: [],
    });
    expect(gitopsText(status)).toBe(`Argo CD: ${NAME} Synced, Healthy at 0123456789ab\n`);
  });

  it("has what went wrong beside it", () => {
    const fact = applicationFact.parse({
      status: {
        conditions: [{ type: "ComparisonError", message: "repository not found" }],
        operationState: { phase: "Failed", message: "one or more objects failed to apply" },
      },
    });
    const { messages, sync } = gitopsOf(NAME, fact);
    expect([sync, messages]).toEqual([
      "Unknown",
      ["ComparisonError: repository not found", "one or more objects failed to apply"],
    ]);
  });

  it("is unknown where there is no such Application, and of no interest without gitops", async () => {
    expect(gitopsOf(NAME, null)).toMatchObject({ sync: "Unknown", health: "Unknown", revision: null });
    const section = {
      engine: "argo-cd",
      acknowledgeClusterAdmin: true,
      repository: "https://git.example.com/x.git",
      path: "dev",
    };
    expect(expectedOf(await sharedRun("dev", { gitops: section })).application).toBe("inference-dev-root");
    expect(expectedOf(await sharedRun("dev", {})).application).toBeNull();
  });
});
