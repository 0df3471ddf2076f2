/** The commands that the runbook gives for the way off Envoy Gateway 1.9.0, as they are written. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../../../names/repository-root";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { requirePart } from "../../../rehearsal/parts/find";

const STEPS = ["copy", "stop", "name", "back"] as const;
type Step = (typeof STEPS)[number];

/** @throws Error where the runbook has more or fewer blocks than steps. */
function commands(): Readonly<Record<Step, string>> {
  const page = readFileSync(join(repositoryRoot(), "docs/operations.md"), "utf8");
  const section = page.slice(page.indexOf("**Coming from Envoy Gateway 1.9.0**"), page.indexOf("**Load balancers.**"));
  const blocks = [...section.matchAll(/^ {3}```sh\n(.*?)^ {3}```$/gms)].map(([, text = ""]) => text);
  if (blocks.length !== STEPS.length) {
    throw new Error(`docs/operations.md has ${blocks.length} blocks for the steps ${STEPS.join(", ")}`);
  }
  return Object.fromEntries(STEPS.map((step, index) => [step, blocks[index]])) as Record<Step, string>;
}

/** Runs a step as an administrator does, in a folder of its own. */
export async function runStep(step: Step, stand: GatewayStand, folder: string): Promise<void> {
  const PATH = [dirname(requirePart("kubectl")), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, KUBECONFIG: stand.kubeconfig };
  await promisify(execFile)("sh", ["-euc", commands()[step]], { cwd: folder, env });
}
