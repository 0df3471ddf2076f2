import { writeFileSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type OfflineEnvironment, runEnvironment } from "../offline/environment";
import { htmlReport } from "../report/html";
import { judge } from "../report/judge";
import { hasUnmappedNetwork, networkMap } from "../report/network/network-map";
import { networkPicture } from "../report/network/picture";
import { networkMarkdown, networkText, noNetworkText } from "../report/network/tables";
import { isDeployable, type PlanResult, toJson } from "../report/result";
import { type TerminalOptions, terminalReport } from "../report/terminal";
import { type CommandIo, EXIT, lineOf, whyUnwritable } from "./io";
import { earlierPlan, sinceText } from "./plan/since";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";
import { commitOf } from "./revision";
import { toldMistakes } from "./told-mistakes";

const USAGE = `Usage: npm run plan -- <environment> [options]

Runs the real program in this process, without credentials, cluster or Pulumi CLI, and prints the plan.

  --config FILE   read this file instead of Pulumi.<environment>.yaml
  --json          machine-readable plan
  --html FILE     write the plan as one self-contained web page
  --network       print the network of an OKE cluster that is made, and who connects to whom, instead of the plan
  --network FILE  write that to a .md file, or as a picture to a .svg file
  --since FILE    print what differs from an earlier plan instead: a file of plan --json, or a rendered folder
  --explain       also say why each model fits, and what the five-step rule and the capacity table say
  --tree          also list the components, with what each makes
  --resources     also list every resource below its component
  --help          this text

Exit status: 0 deployable, 1 forbidden by a capacity rule or policy, 2 bad input.
`;

type Judged = Omit<PlanResult, "seconds">;
export type Judging = (environment: OfflineEnvironment, onResource?: (count: number) => void) => Promise<Judged>;

/** Runs an environment's program, and judges what it makes. */
export const judged: Judging = async (environment, onResource) =>
  judge(await runEnvironment(environment, { ...(onResource && { onResource }) }));

/** @param judging gives the plan. @default a run of the program */
export async function main(argv: string[], io: CommandIo, judging = judged): Promise<number> {
  const started = performance.now();
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  if (args.network !== undefined) {
    return showNetwork(args.environment, environment, args.network, io);
  }
  const unwritable = args.html === undefined ? undefined : whyUnwritable("the web page", args.html);
  if (unwritable !== undefined) {
    io.err(`${unwritable}\n`);
    return EXIT.badInput;
  }
  const earlier = args.since === undefined ? undefined : earlierPlan(args.since, args.environment);
  if (earlier !== undefined && "problem" in earlier) {
    io.err(`${earlier.problem}\n`);
    return EXIT.badInput;
  }
  const progress = new Progress(io, `planning ${args.environment}`);
  const result = await toldMistakes(io, progress, async (): Promise<PlanResult> => {
    const planned = await judging(environment, (count) => progress.update(`${count} resources`));
    const from = {
      hasStack: environment.file.hasStack,
      ...(args.config !== undefined && { config: args.config }),
    };
    return { ...planned, from, seconds: (performance.now() - started) / 1000 };
  });
  if (result === undefined) {
    return EXIT.badInput;
  }
  io.out(
    args.json
      ? `${JSON.stringify(toJson(result), undefined, 2)}\n`
      : earlier === undefined
        ? terminalReport(result, { color: io.color, explain: args.explain, tree: args.tree })
        : sinceText(args.environment, earlier, toJson(result)),
  );
  if (args.html !== undefined) {
    const commit = commitOf(environment.baseDirectory);
    const made = {
      date: `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
      ...(commit !== undefined && { commit }),
    };
    const problem = writeReport(args.html, htmlReport({ ...result, made }));
    if (problem !== undefined) {
      io.err(`${problem}\n`);
      return EXIT.badInput;
    }
    io.err(`wrote ${args.html}\n`);
  }
  return isDeployable(result) ? EXIT.ok : EXIT.refused;
}

/** Network of recorded resources: effectively a separate command, as it judges nothing. */
async function showNetwork(
  name: string,
  environment: OfflineEnvironment,
  { file }: NetworkTarget,
  io: CommandIo,
): Promise<number> {
  const progress = new Progress(io, `planning ${name}`);
  const status = await toldMistakes(io, progress, async () => {
    const { recording } = await runEnvironment(environment, {
      onResource: (count) => progress.update(`${count} resources`),
    });
    progress.stop();
    const map = networkMap(recording.resources);
    if (map === undefined) {
      const text = noNetworkText(name, hasUnmappedNetwork(recording.resources));
      (file === undefined ? io.out : io.err)(text);
      return file === undefined ? EXIT.ok : EXIT.badInput;
    }
    if (file === undefined) {
      io.out(networkText(name, map));
      return EXIT.ok;
    }
    const picture = `${basename(file, extname(file))}.svg`;
    const text = extname(file) === ".svg" ? networkPicture(name, map) : networkMarkdown(name, map, picture);
    const problem = writeReport(file, text, "the network");
    io.err(`${problem ?? `wrote ${file}`}\n`);
    return problem === undefined ? EXIT.ok : EXIT.badInput;
  });
  return status ?? EXIT.badInput;
}

/** Undefined on success. */
function writeReport(file: string, content: string, what = "the web page"): string | undefined {
  try {
    writeFileSync(resolve(file), content);
    return undefined;
  } catch (error) {
    return `cannot write ${what}: ${lineOf(error)}`;
  }
}

interface NetworkTarget {
  /** Undefined: the terminal. */
  readonly file: string | undefined;
}

interface Arguments extends EnvironmentArguments {
  readonly json: boolean;
  readonly html: string | undefined;
  /** Earlier plan to compare with. */
  readonly since: string | undefined;
  readonly network: NetworkTarget | undefined;
  readonly explain: boolean;
  readonly tree: TerminalOptions["tree"];
}

export const options = {
  ...ENVIRONMENT_OPTIONS,
  html: { type: "string" },
  since: { type: "string" },
  explain: { type: "boolean", default: false },
  network: { type: "boolean", default: false },
  tree: { type: "boolean", default: false },
  resources: { type: "boolean", default: false },
} as const;

function readArguments(argv: string[]): Arguments | Problem | "help" {
  const { rest, file } = networkFile(argv);
  return environmentArguments(
    () => parseArgs({ args: rest, allowPositionals: true, options }),
    ({ json, html, since, network, explain, tree, resources }) => ({
      json,
      html,
      since,
      network: network ? { file } : undefined,
      explain,
      tree: resources ? "resources" : tree ? "components" : "none",
    }),
  );
}

/** Extracts the optional file of `--network`: parseArgs does not support optional values. */
function networkFile(argv: readonly string[]): { readonly rest: string[]; readonly file: string | undefined } {
  const at = argv.indexOf("--network");
  const file = at < 0 ? undefined : argv[at + 1];
  return file !== undefined && /\.(svg|md)$/.test(file)
    ? { rest: argv.filter((_, i) => i !== at + 1), file }
    : { rest: [...argv], file: undefined };
}
