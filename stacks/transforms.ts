import type { TransformFault } from "../components/core/transforms";
import { ConfigError, type EnvironmentConfig } from "./config";
import { type Path, toProblem } from "./config/core/problems";

/**
 * @param faults failed patches of the environment's `transform`.
 * @throws ConfigError naming each of them.
 */
export function assertTransformed(
  { transform }: Pick<EnvironmentConfig, "transform">,
  faults: readonly TransformFault[],
): void {
  const problems = faults.map(({ request, patch, reason }) => {
    const { kind, resource, patches } = transform[request] ?? { kind: "", resource: "", patches: [] };
    const path: Path =
      patch === undefined ? ["transform", request, "resource"] : ["transform", request, "patches", patch, "path"];
    return toProblem({
      path,
      value: patch === undefined ? `${kind} ${resource}` : patches[patch]?.path,
      allowed: `what the program declares; ${reason}`,
      fix: "look at it with npm run render, or npm run plan -- <environment> --resources, and write the value shown there",
    });
  });
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }
}
