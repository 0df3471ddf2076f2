/** `npm run doctor`: whether cluster and this machine meet an environment's prerequisites. */
import { askCluster, CLUSTER_OPTIONS } from "./cluster/command";
import { examine } from "./doctor/examine";
import { needsOf } from "./doctor/needs";
import { doctorText } from "./doctor/report";
import { type DoctorReport, hasFailed } from "./doctor/result";
import type { CommandIo } from "./io";

const USAGE = `Usage: npm run doctor -- <environment> [options]

Checks whether the cluster of an environment has what the platform needs, and suggests fixes. It only reads.
Where the environment makes its cluster itself: this machine's tools and credentials; the cluster once it exists.

  --config FILE        read this file instead of Pulumi.<environment>.yaml
  --kubeconfig FILE    instead of what KUBECONFIG names
  --kube-context NAME  instead of kubeContext in the environment, or of the current context
  --json               machine-readable report
  --help               this text

Exit status: 0 nothing is red (look at what is marked ! and ?), 1 something is, 2 bad input.
`;

export const options = CLUSTER_OPTIONS;

export function main(argv: string[], io: CommandIo): Promise<number> {
  return askCluster<DoctorReport>(argv, io, {
    usage: USAGE,
    doing: "examining",
    ask: async (run, { file }, source, onProgress) => {
      const found = await examine(needsOf(run), source, { env: process.env, config: file.config }, onProgress);
      return { ok: !hasFailed(found.checks), ...found };
    },
    text: doctorText,
  });
}
