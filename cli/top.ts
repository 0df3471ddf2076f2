/** `npm run top`: current state of a platform, on a terminal. */
import { runEnvironment } from "../offline/environment";
import { style, WIDTH } from "../report/style";
import { type CommandIo, EXIT } from "./io";
import { Progress } from "./progress";
import { Prometheus } from "./prometheus/client";
import { environmentArguments, openEnvironment } from "./read-environment";
import type { OpenScreen } from "./screen";
import { HttpClient } from "./smoke/http";
import { toldMistakes } from "./told-mistakes";
import { controlUrlOf, readTopArguments, TOP_OPTIONS, TOP_USAGE, type TopArguments } from "./top/arguments";
import type { PlanFacts } from "./top/facts";
import { plainText } from "./top/frame";
import { Platform } from "./top/platform";
import { showOn } from "./top/show";

export const options = TOP_OPTIONS;

const ADVICE = {
  late: "the server's log and load",
  unauthorized: "--token-file: the file with a token of the control API, which may read",
};

/** Exit status; never throws for bad input or outside failures. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const args = readTopArguments(argv);
  if (args === "help") {
    io.out(TOP_USAGE);
    return EXIT.ok;
  }
  if ("problems" in args) {
    io.err(`${args.problems.join("\n")}\n\n${TOP_USAGE}`);
    return EXIT.badInput;
  }
  const planned = await plannedOf(args, io);
  if ("status" in planned) {
    return planned.status;
  }
  const { token, ca, prometheus, seconds } = args;
  const shared = { ca, userAgent: "inference-stacks-top", advice: ADVICE };
  const platform = new Platform({
    plan: planned.plan,
    ...(planned.controlUrl !== undefined && { control: new HttpClient(planned.controlUrl, { ...shared, token }) }),
    ...(prometheus !== undefined && {
      prometheus: { url: prometheus, client: new Prometheus(new HttpClient(prometheus, shared)) },
    }),
  });
  if (io.screen === undefined || args.json) {
    return once(platform, args, io);
  }
  await showOn(io.screen satisfies OpenScreen, platform, { seconds, style: style(io.color) });
  return EXIT.ok;
}

async function once(platform: Platform, { json }: TopArguments, io: CommandIo): Promise<number> {
  const snapshot = await platform.ask();
  io.out(json ? `${JSON.stringify(snapshot, undefined, 2)}\n` : plainText(snapshot, WIDTH, style(io.color)));
  const silent = Object.values(snapshot.sources).filter(({ url, ok }) => url !== undefined && !ok);
  return silent.length > 0 ? EXIT.refused : EXIT.ok;
}

interface Planned {
  readonly plan?: PlanFacts;
  /** Undefined: no such API. */
  readonly controlUrl?: string;
}

/** From an environment; empty for a URL. */
async function plannedOf(args: TopArguments, io: CommandIo): Promise<Planned | { readonly status: number }> {
  const { environment, config, controlUrl } = args;
  if (environment === undefined && config === undefined && controlUrl !== undefined) {
    return { controlUrl };
  }
  const named = environmentArguments(
    () => ({ values: { help: false, config }, positionals: environment === undefined ? [] : [environment] }),
    () => ({}),
  );
  const opening = openEnvironment(named, TOP_USAGE, io);
  if ("status" in opening) {
    return opening;
  }
  const opened = opening.environment;
  const run = await toldMistakes(io, new Progress(io, `planning ${opened.name}`), () => runEnvironment(opened));
  if (run === undefined) {
    return { status: EXIT.badInput };
  }
  const {
    plan,
    environment: { modelControl },
  } = run;
  const models = plan.models.map(({ name, minReplicas, hourlyUsd }) => ({ name, replicas: minReplicas, hourlyUsd }));
  return {
    plan: { environment: plan.environment, hourlyUsd: plan.cost.hourlyUsd, models },
    controlUrl: controlUrl ?? (modelControl?.enabled ? controlUrlOf(modelControl.hostname) : undefined),
  };
}
