/** `npm run status`: what runs of an environment, how to call it, and what is wrong. */
import { askCluster, CLUSTER_OPTIONS } from "./cluster/command";
import type { CommandIo } from "./io";
import { askStatus } from "./status/ask";
import { expectedOf } from "./status/expected";
import { statusText } from "./status/report";
import { isWell, type StatusReport } from "./status/result";

const USAGE = `Usage: npm run status -- <environment> [options]

Asks the cluster what runs of an environment: each model's state, replicas, address and a call that works, and the same of server
groups and their nodes; for what does not answer the reason, the last warnings and the last lines of its log. It only reads.

  --config FILE        read this file instead of Pulumi.<environment>.yaml
  --kubeconfig FILE    instead of what KUBECONFIG names
  --kube-context NAME  instead of kubeContext in the environment, or of the current context
  --json               machine-readable report
  --help               this text

Exit status: 0 everything answers (or was stopped on purpose), 1 something does not, 2 bad input.
`;

export const options = CLUSTER_OPTIONS;

export function main(argv: string[], io: CommandIo): Promise<number> {
  return askCluster<StatusReport>(argv, io, {
    usage: USAGE,
    doing: "asking for",
    ask: async (run, _, source, onProgress) => {
      const { cluster } = run.environment;
      const asked = await askStatus(expectedOf(run), { cluster, source, env: process.env }, onProgress);
      return { ok: asked.failure === null && isWell(asked), ...asked };
    },
    text: statusText,
  });
}
