/** `npm run cost`: planned cost, actual cost, and reasons for the difference. */
import { parseArgs } from "node:util";
import { runEnvironment } from "../offline/environment";
import { compare } from "./cost/compare";
import { askFigures } from "./cost/figures";
import { openCostFigures } from "./cost/opencost";
import { costCsv, costText } from "./cost/report";
import { deadline } from "./deadline";
import { type CommandIo, EXIT } from "./io";
import { toldFailure } from "./measure/told-failure";
import { Progress } from "./progress";
import { Prometheus } from "./prometheus/client";
import { ENVIRONMENT_OPTIONS, environmentArguments, openEnvironment, type Problem } from "./read-environment";
import { serverAddress } from "./smoke/arguments";
import { HttpClient } from "./smoke/http";
import { toldMistakes } from "./told-mistakes";

const USAGE = `Usage: npm run cost -- <environment> --prometheus <URL> [options]

What the environment was planned to cost, what it costs, and why they differ: in all, by pool, model and tenant.

  kubectl -n observability port-forward svc/metrics-prometheus 9090 &
  npm run cost -- <environment> --prometheus http://127.0.0.1:9090

  --prometheus URL  the environment's Prometheus
  --days N          look back so many days; default 30
  --opencost URL    show what OpenCost allocates to each model, where it runs
  --config FILE     read this file instead of Pulumi.<environment>.yaml
  --json            machine-readable report
  --csv             one line for each pool, model and tenant
  --help            this text

Exit status: 0 the report is made, whatever it says; 1 Prometheus does not answer or has no costs; 2 bad input.
`;

export const options = {
  ...ENVIRONMENT_OPTIONS,
  prometheus: { type: "string" },
  opencost: { type: "string" },
  days: { type: "string", default: "30" },
  csv: { type: "boolean", default: false },
} as const;

const MOST_DAYS = 400;
/** All queries. */
const ANSWER_SECONDS = 60;

const ADVICE = {
  late: "the load of Prometheus; fewer --days",
  unauthorized: "a port-forward, which asks for no key",
};

/** Exit status; never throws for bad input or outside failures. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `asking for the costs of ${args.environment}`);
  const limit = deadline(ANSWER_SECONDS);
  const clientOf = (url: string) => new HttpClient(url, { userAgent: "inference-stacks-cost", advice: ADVICE });
  try {
    const made = await toldMistakes(io, progress, async () => {
      const { plan } = await runEnvironment(environment);
      const figures = await askFigures(new Prometheus(clientOf(args.prometheus)), args.days, limit.signal);
      const { opencost, failure } = await optional(args.opencost, (url) =>
        openCostFigures(clientOf(url), args.days, limit.signal),
      );
      return { failure, report: { environment: args.environment, ...compare(plan, figures, opencost) } };
    });
    if (made === undefined) {
      return EXIT.badInput;
    }
    const { report, failure } = made;
    const json = () => `${JSON.stringify(report, undefined, 2)}\n`;
    io.out(args.json ? json() : args.csv ? costCsv(report) : costText(report));
    if (failure !== undefined) {
      toldFailure(failure, io);
    }
    return EXIT.ok;
  } catch (error) {
    progress.stop();
    return toldFailure(error, io);
  } finally {
    limit.stop();
  }
}

/** OpenCost's figures, or why there are none: they are only shown with the report. */
async function optional<Figures>(url: string | undefined, ask: (url: string) => Promise<Figures>) {
  if (url === undefined) {
    return {};
  }
  try {
    return { opencost: await ask(url) };
  } catch (failure) {
    return { failure };
  }
}

interface CostArguments {
  readonly json: boolean;
  readonly csv: boolean;
  readonly days: number;
  readonly prometheus: string;
  readonly opencost: string | undefined;
}

function readArguments(argv: string[]) {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ json, csv, prometheus, opencost, days: text }): CostArguments | Problem => {
      const days = Number(text);
      if (!(days > 0 && days <= MOST_DAYS)) {
        return { problem: `--days is ${JSON.stringify(text)}: allowed are numbers up to ${MOST_DAYS}` };
      }
      if (json && csv) {
        return { problem: "--json and --csv: choose one" };
      }
      const address = serverAddress("prometheus", prometheus);
      if (address === undefined) {
        return { problem: "--prometheus is missing: the address of the platform's Prometheus" };
      }
      return { json, csv, days, prometheus: address, opencost: serverAddress("opencost", opencost) };
    },
  );
}
