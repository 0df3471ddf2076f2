/** Command line of `npm run top`: all mistakes at once. */
import { parseArgs } from "node:util";
import { checkedArguments } from "../checked-arguments";
import { certificatesIn, secretIn, serverAddress } from "../smoke/arguments";

/** End of the documented port-forward (docs/model-control.md). */
const FORWARDED = "http://127.0.0.1:1994";
const DEFAULT_SECONDS = 2;

export const TOP_USAGE = `Usage: npm run top -- <environment|url> [options]

Shows what a platform does now: models, replicas, queues, latency, KV cache and GPU memory, workers, pulls with their progress,
firing alerts, cost per hour. It only reads. Piped, it prints one picture and ends.

  environment         its plan states cost and replicas; the control API is asked at --control-url
  url                 the model control API itself, without a plan
  --control-url URL   the model control API of the environment (default where it has one:
                      modelControl.hostname, else ${FORWARDED})
  --prometheus URL    Prometheus: replicas, queues, latency, KV cache, GPUs, alerts
  --token-file FILE   bearer token of the control API; "read" is enough
  --ca FILE           certificates in PEM that both may be signed by, besides the public ones
  --interval S        seconds between two pictures (default ${DEFAULT_SECONDS})
  --config FILE       read this file instead of Pulumi.<environment>.yaml
  --json              one picture, machine-readable
  --help              this text

  kubectl -n model-control port-forward service/model-control 1994 &
  kubectl -n observability port-forward service/metrics-prometheus 9090 &
  npm run top -- dev --token-file token --prometheus http://127.0.0.1:9090

Exit status: 0 every server that was named answered, 1 one did not (one picture), 2 bad input.
`;

export const TOP_OPTIONS = {
  "control-url": { type: "string" },
  prometheus: { type: "string" },
  "token-file": { type: "string" },
  ca: { type: "string" },
  interval: { type: "string" },
  config: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export interface TopArguments {
  /** Or of `config`'s file. */
  readonly environment?: string;
  readonly config?: string;
  readonly controlUrl?: string;
  readonly prometheus?: string;
  readonly token?: string;
  /** PEM. */
  readonly ca?: string;
  readonly seconds: number;
  readonly json: boolean;
}

/** For an environment that does not publish it. */
export function controlUrlOf(hostname: string | undefined): string {
  return hostname === undefined ? FORWARDED : `https://${hostname}`;
}

/** Arguments, "help", or all problems. Reads named files. */
export function readTopArguments(argv: string[]): TopArguments | "help" | { readonly problems: readonly string[] } {
  const parse = () => parseArgs({ args: argv, options: TOP_OPTIONS, allowPositionals: true });
  return checkedArguments(parse, ({ values, positionals }, { problems, checked }): TopArguments => {
    const [named, ...others] = positionals;
    if (others.length > 0) {
      problems.push(`name one environment or URL, not ${positionals.length}: ${positionals.join(", ")}`);
    }
    const url = named?.includes("://") ? named : undefined;
    if (url !== undefined && (values["control-url"] !== undefined || values.config !== undefined)) {
      problems.push("a URL is the control API itself: --control-url and --config are for an environment");
    }
    return {
      ...(url === undefined && named !== undefined && { environment: named }),
      ...(values.config !== undefined && { config: values.config }),
      controlUrl: checked(() => serverAddress(url === undefined ? "control-url" : "url", url ?? values["control-url"])),
      prometheus: checked(() => serverAddress("prometheus", values.prometheus)),
      token: checked(() => secretIn("token-file", values["token-file"])),
      ca: checked(() => certificatesIn(values.ca)),
      seconds: checked(() => secondsOf(values.interval)) ?? DEFAULT_SECONDS,
      json: values.json ?? false,
    };
  });
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 3600)) {
    return text === undefined ? undefined : Number(text);
  }
  throw new Error(`--interval must be a whole number of seconds from 1 to 3600, is "${text}"`);
}
