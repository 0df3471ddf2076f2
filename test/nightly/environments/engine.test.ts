import { vi } from "vitest";
import { deployedEnvironments } from "../../e2e/engine/environment-suite";
import { NIGHTLY } from "../../stacks/every-change";

vi.mock("../../../catalog/k3s", async (original) =>
  (await import("../../e2e/edge/machine/release")).standInCatalog(original),
);

deployedEnvironments([...NIGHTLY, "aws-prod"]);
