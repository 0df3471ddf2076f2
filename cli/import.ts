/** `npm run import`: an environment from the files by which a team serves models today. */
import { writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { cards, findShape } from "../catalog/shapes";
import { visible } from "../names/visible";
import { hostname } from "../stacks/config/core/sections/fields";
import { type Checks, checkedArguments } from "./checked-arguments";
import { withEnvFiles } from "./import/compose-env";
import { FORMATS } from "./import/formats/table";
import { type Imported, importDocuments } from "./import/import-files";
import { DEFAULTS, type ImportOptions } from "./import/options";
import { outputProblems } from "./import/outputs";
import { ImportFileError, readDocuments } from "./import/read-documents";
import { reportJson, reportText } from "./import/report-text";
import { type CommandIo, EXIT, isFileSystemError } from "./io";

const USAGE = `Usage: npm run import -- FILE... --out Pulumi.<name>.yaml [options]

Writes an environment from the files by which models are served today: ${FORMATS.map(({ label }) => label).join(", ")}.
Several files make one environment. The account says of every value whether it is mapped, changed, not mapped or wrong in
the original, and why. Secrets are never copied.

  --out FILE              environment to write
  --report FILE           the account as JSON
  --force                 replace files that exist
  --cluster KIND          local, oci or aws. Default: of the files' machines, else ${DEFAULTS.cluster}
  --create                the stack makes the cluster and its nodes: OCI alone. Default: they exist
  --stage STAGE           development or production. Default: ${DEFAULTS.stage}
  --host NAME             name of the gateway. Default: of the files, else ${DEFAULTS.host}
  --card NAME             GPU card of machines that no file names: npm run list -- cards
  --shape NAME            cloud shape of machines that no file names: npm run list -- shapes
                          Default of both: the first of a list on which the plan fits
  --gpus-per-node N       GPUs of such a machine. Default: as many as a pod needs
  --node-vcpus N          processors of each machine. Default: ${DEFAULTS.vcpusPerGpu} for each GPU
  --node-memory-gib N     memory of each machine. Default: ${DEFAULTS.memoryGibPerGpu} for each GPU
  --usd-per-node-hour N   price of each machine. Default: the catalogue's list price, 0 for machines of your own
  --concurrency N         requests of full length that a replica holds. Default: ${DEFAULTS.concurrency}, which vLLM starts with
  --engine-version X      release of the engine that images of your own behave as. Default: as their tags say
  -h, --help              this text

Exit status: 0 written and planned, 1 written and refused by the planner, or nothing to import, 2 bad input.
`;

export const options = {
  out: { type: "string" },
  report: { type: "string" },
  force: { type: "boolean", default: false },
  cluster: { type: "string" },
  create: { type: "boolean", default: false },
  stage: { type: "string" },
  host: { type: "string" },
  card: { type: "string" },
  shape: { type: "string" },
  "gpus-per-node": { type: "string" },
  "node-vcpus": { type: "string" },
  "node-memory-gib": { type: "string" },
  "usd-per-node-hour": { type: "string" },
  concurrency: { type: "string" },
  "engine-version": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Arguments {
  readonly files: readonly string[];
  readonly name: string;
  readonly out: string;
  readonly report: string | undefined;
  readonly force: boolean;
  readonly options: ImportOptions;
}

/** Runs the command; returns its exit status. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const args = readArguments(argv);
  if (args === "help") {
    io.out(USAGE);
    return EXIT.ok;
  }
  if ("problems" in args) {
    io.err(`${args.problems.join("\n")}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  const targets = [args.out, ...(args.report === undefined ? [] : [args.report])];
  const blocked = outputProblems(targets, args.files, args.force);
  if (blocked.length > 0) {
    io.err(`${blocked.join("\n")}\n`);
    return EXIT.badInput;
  }
  const written: string[] = [];
  try {
    const documents = args.files.flatMap((file) =>
      readDocuments(visible(file), resolve(file)).map((document) => withEnvFiles(document, dirname(resolve(file)))),
    );
    const imported = await importDocuments(args.name, documents, args.options, dirname(resolve(args.out)));
    return write(args, imported, io, written);
  } catch (error) {
    if (error instanceof ImportFileError || isFileSystemError(error)) {
      const done = written.length === 0 ? "nothing was written" : `${written.map(visible).join(", ")} was written`;
      io.err(`${visible(error.message)}\n${done}\n`);
      return EXIT.badInput;
    }
    throw error;
  }
}

function write({ out, report, name, force }: Arguments, imported: Imported, io: CommandIo, written: string[]): number {
  const { settled } = imported;
  // Without --force nothing is written through a name that came to be meanwhile.
  const flag = force ? "w" : "wx";
  if (settled !== undefined) {
    writeFileSync(resolve(out), settled.text, { flag });
    written.push(out);
  }
  if (report !== undefined) {
    writeFileSync(resolve(report), reportJson(out, imported), { flag });
  }
  io.out(reportText(imported));
  if (settled === undefined) {
    io.err("the files have no server of a model and no machines: no environment was written\n");
    return EXIT.refused;
  }
  const { decision } = settled;
  const isDescribed = decision.kind !== "unknown" && !(decision.kind === "planned" && decision.isPartial === true);
  const isPinnable = settled.models.some(({ weights }) => String(weights.model).startsWith("hf://"));
  const next = !isDescribed && isPinnable ? "pin" : "plan";
  io.out(`\nwrote ${visible(out)}\n\nNext: npm run ${next} -- ${nextArguments(name, out)}\n`);
  return decision.kind === "mistakes" || (decision.kind === "planned" && decision.refusals.length > 0)
    ? EXIT.refused
    : EXIT.ok;
}

function nextArguments(name: string, out: string): string {
  return out === `Pulumi.${name}.yaml` ? name : `${name} --config ${visible(out)}`;
}

function readArguments(argv: string[]) {
  return checkedArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ values, positionals }, { problems, checked }): Arguments => {
      if (positionals.length === 0) {
        problems.push("name the files to import");
      }
      if (positionals.includes("-")) {
        problems.push("standard input is not read: write it to a file, and name that");
      }
      const out = values.out ?? "";
      const [, name] = /^Pulumi\.(\w[\w-]*)\.yaml$/.exec(basename(out)) ?? [];
      if (name === undefined) {
        problems.push(`--out must be a file called Pulumi.<name>.yaml${out === "" ? "" : `, and is ${visible(out)}`}`);
      }
      const read = checked(() => importOptions(values, problems)) ?? { create: false };
      return { files: positionals, name: name ?? "", out, report: values.report, force: values.force, options: read };
    },
  );
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function importOptions(values: Values, problems: Checks["problems"]): ImportOptions {
  const text = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  const oneOf = <T extends string>(name: string, allowed: readonly T[]): T | undefined => {
    const value = text(name);
    const found = allowed.find((each) => each === value);
    if (value !== undefined && found === undefined) {
      problems.push(`--${name} must be ${allowed.join(", ")}, and is ${visible(value)}`);
    }
    return found;
  };
  const number = (name: string, least: number, most: number, whole = true): number | undefined => {
    const value = text(name);
    const read = Number(value);
    if (value === undefined) {
      return undefined;
    }
    if (value.trim() === "" || !(read >= least && read <= most) || (whole && !Number.isInteger(read))) {
      problems.push(
        `--${name} must be a ${whole ? "whole " : ""}number from ${least} to ${most}, and is ${visible(value)}`,
      );
    }
    return read;
  };
  const named = (name: string, isKnown: (value: string) => boolean, list: string): string | undefined => {
    const value = text(name);
    if (value !== undefined && !isKnown(value)) {
      problems.push(`--${name} must be a name of the catalogue, and is ${visible(value)}: npm run list -- ${list}`);
    }
    return value;
  };
  const matching = (name: string, isSound: (value: string) => boolean, allowed: string): string | undefined => {
    const value = text(name);
    if (value !== undefined && !isSound(value)) {
      problems.push(`--${name} must be ${allowed}, and is ${visible(value)}`);
    }
    return value;
  };
  const cluster = oneOf("cluster", ["local", "oci", "aws"] as const);
  const read: ImportOptions = {
    create: values.create === true,
    ...defined({
      cluster,
      stage: oneOf("stage", ["development", "production"] as const),
      host: matching("host", (value) => hostname.safeParse(value).success, "a lower-case DNS name with a dot"),
      card: named("card", (name) => cards.some((card) => card.name === name), "cards"),
      shape: named("shape", (name) => findShape(name) !== undefined, "shapes"),
      gpusPerNode: number("gpus-per-node", 1, 16),
      nodeVcpus: number("node-vcpus", 1, 1024),
      nodeMemoryGib: number("node-memory-gib", 1, 65_536, false),
      usdPerNodeHour: number("usd-per-node-hour", 0, 100_000, false),
      concurrency: number("concurrency", 1, 4096),
      engineVersion: matching("engine-version", (value) => /^v?\d+(\.\d+)+\S*$/.test(value), "a release, as 0.33.0"),
    }),
  };
  return read;
}

/** The fields that have a value. */
function defined<T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } | Record<string, never> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: NonNullable<T[K]>;
  };
}
