import { spawnSync } from "node:child_process";

/** How to get the tools that these tests run. */
const INSTALL = {
  promtool:
    '"apt-get install -y prometheus", "brew install prometheus", or "go install github.com/prometheus/prometheus/cmd/promtool@v0.315.0"',
  amtool:
    '"apt-get install -y prometheus-alertmanager", or "go install github.com/prometheus/alertmanager/cmd/amtool@v0.28.1"',
} as const;

/**
 * Runs a tool of Prometheus.
 *
 * @throws Error with the command that installs it, when it is missing: nothing is skipped in silence.
 */
export function tool(name: keyof typeof INSTALL, ...args: string[]): { status: number | null; output: string } {
  const result = spawnSync(name, args, { encoding: "utf8" });
  if (result.error) {
    throw new Error(`${name} is missing (${result.error.message}). Install it: ${INSTALL[name]}`);
  }
  return { status: result.status, output: `${result.stdout}${result.stderr}` };
}
