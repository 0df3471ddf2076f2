import { spawnSync } from "node:child_process";
import { requirePart } from "../../../rehearsal/parts/find";

/**
 * Runs a tool of Prometheus.
 *
 * @throws Error with the command that installs it, when it is missing: nothing is skipped in silence.
 */
export function tool(name: "promtool" | "amtool", ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(requirePart(name), args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}
