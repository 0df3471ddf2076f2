/** Command line of `npm run calibrate`. */
import { parseArgs } from "node:util";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  type Problem,
} from "../read-environment";
import { certificatesIn, serverAddress } from "../smoke/arguments";

const DEFAULT_HOURS = 24;
const MOST_HOURS = 24 * 30;

export const CALIBRATE_USAGE = `Usage: npm run calibrate -- <environment> --prometheus URL [options]

Reads from Prometheus how fast the models of an environment were served: time to first token, time per token, requests at once and KV
cache. It writes files that plans account for, as npm run measure does, and reports where the plan's ranges were wrong. It sends no
load (docs/measure.md).

  --prometheus URL    Prometheus of the platform
  --model NAME        one model (default: all)
  --hours N           length of the window, which ends now (default ${DEFAULT_HOURS}, at most ${MOST_HOURS})
  --dry-run           report only; no file is written
  --ca FILE           certificates in PEM that Prometheus may be signed by, besides the public ones
  --config FILE       read this file instead of Pulumi.<environment>.yaml
  --json              machine-readable
  --help              this text

  kubectl -n observability port-forward service/metrics-prometheus 9090 &
  npm run calibrate -- aws-prod --prometheus http://127.0.0.1:9090

Exit status: 0 every model was measured, 1 one was not or Prometheus did not answer, 2 bad input.
`;

export const CALIBRATE_OPTIONS = {
  ...ENVIRONMENT_OPTIONS,
  prometheus: { type: "string" },
  model: { type: "string" },
  hours: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  ca: { type: "string" },
} as const;

export interface CalibrateArguments extends EnvironmentArguments {
  readonly prometheus: string;
  readonly model?: string;
  readonly hours: number;
  readonly dryRun: boolean;
  /** PEM. */
  readonly ca?: string;
  readonly json: boolean;
}

export function readCalibrateArguments(argv: string[]): CalibrateArguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options: CALIBRATE_OPTIONS }),
    ({ prometheus, model, hours = String(DEFAULT_HOURS), ca, json, "dry-run": dryRun }) => {
      const address = serverAddress("prometheus", prometheus);
      if (address === undefined) {
        return { problem: "--prometheus is missing: the address of the platform's Prometheus" };
      }
      if (!(/^\d+$/.test(hours) && Number(hours) >= 1 && Number(hours) <= MOST_HOURS)) {
        return { problem: `--hours must be a whole number from 1 to ${MOST_HOURS}, is "${hours}"` };
      }
      const certificates = certificatesIn(ca);
      return {
        prometheus: address,
        hours: Number(hours),
        dryRun,
        json,
        ...(model !== undefined && { model }),
        ...(certificates !== undefined && { ca: certificates }),
      };
    },
  );
}
