import { readFileSync } from "node:fs";
import { planDeployment } from "../../../../planner/plan";
import { readArchitectures } from "../../../../stacks/architectures";
import { formatProblems, parseEnvironmentFile } from "../../../../stacks/config";
import { toPlanRequest } from "../../../../stacks/plan-request";

/** Plans the environment file named on the command line once, and prints the planner's own seconds. */
async function main([file = ""]: string[]): Promise<void> {
  const parsed = parseEnvironmentFile(readFileSync(file, "utf8"));
  if (!parsed.ok) {
    throw new Error(formatProblems(parsed.problems, file));
  }
  const request = toPlanRequest("bench", parsed.environment, await readArchitectures(parsed.environment, "."));
  const started = performance.now();
  planDeployment(request);
  process.stdout.write(String((performance.now() - started) / 1000));
}

void main(process.argv.slice(2));
