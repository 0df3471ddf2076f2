/** `npm run bundle`: everything that an environment downloads, in one folder. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  assertBundleFolder,
  BundleFolderError,
  BundleIncompleteError,
  bundleBefore,
  makeBundle,
  presence,
  verifyBundle,
} from "../bundle/make";
import { type BundleNeeds, bundleNeeds } from "../bundle/needs";
import { CRANE, craneRegistry } from "../bundle/registry";
import { needsText, signaturesText, sizeText } from "../bundle/text";
import { ChartsError, LockFile, pinOf } from "../charts/lock-file";
import { programIn } from "../names/programs";
import { projectRoot } from "../names/project-root";
import { visible } from "../names/visible";
import { runEnvironment } from "../offline/environment";
import { judge } from "../report/judge";
import { isDeployable } from "../report/result";
import { shortResource } from "../report/short-resource";
import { BUNDLE_FILE, type BundleFile, bundleText } from "../stacks/bundle/bundle-file";
import { withoutBundle } from "../stacks/bundle/without-bundle";
import { formatProblems, toProblem } from "../stacks/config";
import { internetAtRunTime, receiversOnline } from "../stacks/config/rules/air-gap";
import { type CommandIo, EXIT, isFileSystemError } from "./io";
import { type Hub, HubError, hubOf } from "./pin/hub";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  type OpenedEnvironment,
  openEnvironment,
  type Problem,
} from "./read-environment";
import { toldMistakes } from "./told-mistakes";

const USAGE = `Usage: npm run bundle -- <environment> [--out DIR] [options]

Lists everything that an environment takes from the internet: k3s, container images, charts and models, with sizes,
digests and licences where they are known. With --out it fetches all of it into a folder, which is carried to a site
without internet: make install ENV=<environment> BUNDLE=DIR (docs/air-gap.md).

  --out DIR       folder to write: new, empty, or a bundle; what is in it already is not fetched again
  --dry-run       with --out: only say what is in the folder, and what would be fetched
  --verify        with --out: read every file of the folder, and compare it with ${BUNDLE_FILE}
  --config FILE   read this file instead of Pulumi.<environment>.yaml
  --json          machine-readable: the list, or the bundle that was written
  -h, --help      this text

Needs ${CRANE.name}, which speaks to registries. Models come from the hub of storage.hub; HF_ENDPOINT
names another. HF_TOKEN is a token for gated models.
Exit status: 0 listed, complete or verified; 1 something lacks, or the environment needs the internet while it runs; 2 bad input.
`;

export const options = {
  ...ENVIRONMENT_OPTIONS,
  out: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  verify: { type: "boolean", default: false },
} as const;

interface Arguments extends EnvironmentArguments {
  readonly json: boolean;
  /** Undefined: list only. */
  readonly out: string | undefined;
  readonly mode: "make" | "dry-run" | "verify";
}

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ json, out, verify, "dry-run": dryRun }) => {
      if (out === "") {
        return { problem: "--out DIR names no folder" };
      }
      if (out === undefined && (verify || dryRun)) {
        return { problem: `--${verify ? "verify" : "dry-run"} is about a folder: add --out DIR` };
      }
      if (verify && dryRun) {
        return { problem: "--verify and --dry-run are two things: name one" };
      }
      return { json, out, mode: verify ? "verify" : dryRun ? "dry-run" : "make" };
    },
  );
}

export async function main(argv: string[], io: CommandIo, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const known = await listed(environment, io);
  if (known === undefined) {
    return EXIT.badInput;
  }
  const { needs, refusals } = known;
  try {
    if (args.out === undefined) {
      io.out(args.json ? json(needs) : needsText(needs));
      return told(refusals, io);
    }
    const root = resolve(args.out);
    assertBundleFolder(root);
    if (args.mode === "verify") {
      return await verify(root, needs, io);
    }
    if (args.mode === "dry-run") {
      const present = presence(needs, root);
      io.out(args.json ? json({ ...needs, present: Object.fromEntries(present) }) : needsText(needs, present));
      return told(refusals, io);
    }
    if (refusals.length > 0) {
      return told(refusals, io, "nothing was fetched");
    }
    const hub = hubOf(env, environment.file.environment.storage.hub?.url);
    return await make(root, args, needs, io, { path: env.PATH, hub });
  } catch (error) {
    if (error instanceof HubError || error instanceof BundleFolderError || isFileSystemError(error)) {
      io.err(`${error.message}\n`);
      return EXIT.badInput;
    }
    throw error;
  }
}

interface Listed {
  readonly needs: BundleNeeds;
  /** Reasons against any bundle, each a terminal block. */
  readonly refusals: readonly string[];
}

/** Undefined when a mistake was reported. */
async function listed(environment: OpenedEnvironment, io: CommandIo): Promise<Listed | undefined> {
  const progress = new Progress(io, `planning ${environment.name}`);
  return toldMistakes(io, progress, async () => {
    const file = withoutBundle(environment.file);
    const run = await runEnvironment(
      { ...environment, file },
      { onResource: (count) => progress.update(`${count} resources`) },
    );
    const needs = bundleNeeds(run);
    const context = { sections: file.environment, declared: { secrets: file.secretKeys } };
    const online = [...internetAtRunTime(context), ...receiversOnline(context)];
    const problems = online.map((draft) => toProblem(draft));
    const verdict = judge(run);
    const forbidden = verdict.violations.filter(({ severity }) => severity === "mandatory");
    return {
      needs,
      refusals: [
        ...needs.problems.map((problem) => `${environment.fileName}: ${problem}`),
        ...(problems.length > 0
          ? [
              `What runs here needs the internet later, which no bundle can replace.\n\n${formatProblems(problems, environment.fileName)}`,
            ]
          : []),
        ...(isDeployable(verdict)
          ? []
          : [
              `${environment.name} must not be deployed as it is; npm run plan -- ${environment.name} says more:\n${forbidden
                .map(({ policy, resource, message }) => `  ${policy} ${shortResource(resource)}: ${message}`)
                .join("\n")}`,
            ]),
      ],
    };
  });
}

function told(refusals: readonly string[], io: CommandIo, outcome?: string): number {
  if (refusals.length === 0) {
    return EXIT.ok;
  }
  io.err(`\n${[...refusals, ...(outcome === undefined ? [] : [outcome])].join("\n\n")}\n`);
  return EXIT.refused;
}

async function make(
  root: string,
  args: Arguments,
  needs: BundleNeeds,
  io: CommandIo,
  { path, hub }: { readonly path: string | undefined; readonly hub: Hub },
): Promise<number> {
  const crane = programIn(path, CRANE.name);
  if (crane === undefined) {
    io.err(`${CRANE.name} is not on the PATH, and fetches images and charts. Install it: ${CRANE.install}\n`);
    return EXIT.badInput;
  }
  const progress = new Progress(io, `fetching into ${args.out}`);
  try {
    const lock = new LockFile(projectRoot()).read();
    const bundle = await makeBundle(needs, root, {
      registry: craneRegistry(crane),
      hub,
      chartPins: (chart) => pinOf(chart, lock),
      onProgress: ({ done, parts, bytes }) => progress.update(`${done} of ${parts} parts · ${sizeText(bytes)}`),
    });
    progress.stop();
    io.out(args.json ? json(bundle) : summary(args, bundle));
    return EXIT.ok;
  } catch (error) {
    progress.stop();
    if (error instanceof ChartsError) {
      io.err(`${error.message}\n`);
      return EXIT.refused;
    }
    if (!(error instanceof BundleIncompleteError)) {
      throw error;
    }
    const count = error.reasons.length;
    io.err(
      `${count} ${count === 1 ? "part" : "parts"} could not be had:\n\n${error.reasons.map((reason) => `  - ${reason}`).join("\n")}\n\n` +
        `What came is in ${args.out}: run the command again, and it fetches only what lacks. Without ${BUNDLE_FILE} the folder is no bundle yet.\n`,
    );
    return EXIT.refused;
  } finally {
    progress.stop();
  }
}

/** Checksum of `bundle.json`, which covers all other files: compared at the destination. */
function sumOf(bundle: BundleFile): string {
  return `SHA-256 of ${BUNDLE_FILE}: ${createHash("sha256").update(bundleText(bundle)).digest("hex")}`;
}

function summary({ environment, out }: Arguments, bundle: BundleFile): string {
  const { images, charts, models, files } = bundle;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const unknown = [...images, ...charts, ...models].filter(({ license }) => license === "unknown").length;
  return `inference-stacks · ${environment} · bundle in ${out}

Parts      ${images.length} images · ${charts.length} charts · ${models.length} models · ${files.length} files, ${sizeText(bytes)}
Licences   ${unknown === 0 ? "each is named" : `of ${unknown} parts nobody says one: "unknown"`} in ${BUNDLE_FILE}
Sum        ${sumOf(bundle)}
           compare it by hand with sha256sum ${BUNDLE_FILE} there: the folder cannot vouch for itself
Next       carry the folder to the machine that runs Pulumi and to the host, at the same path, and there:
           make install ENV=${environment} BUNDLE=<the folder> (docs/air-gap.md)

${signaturesText(images)}
`;
}

async function verify(root: string, needs: BundleNeeds, io: CommandIo): Promise<number> {
  const bundle = bundleBefore(root);
  if (bundle === undefined) {
    io.err(`${root} has no ${BUNDLE_FILE} that can be read: it is no bundle, or not a complete one\n`);
    return EXIT.refused;
  }
  const progress = new Progress(io, `reading ${root}`);
  const problems = await verifyBundle(root, bundle, ({ done, parts, bytes }) =>
    progress.update(`${done} of ${parts} files · ${sizeText(bytes)}`),
  );
  progress.stop();
  const all = [...problems, ...lacking(needs, bundle)];
  if (all.length > 0) {
    io.err(
      `${root} is not what ${needs.environment} needs:\n\n${all.map((problem) => `  - ${visible(problem)}`).join("\n")}\n`,
    );
    return EXIT.refused;
  }
  const bytes = bundle.files.reduce((sum, file) => sum + file.bytes, 0);
  io.out(
    `${bundle.files.length} files, ${sizeText(bytes)}: each is what ${BUNDLE_FILE} says, and ${needs.environment} needs no other\n`,
  );
  return EXIT.ok;
}

function lacking({ k3s, images, charts, models, platforms }: BundleNeeds, bundle: BundleFile): string[] {
  const has = <T>(list: readonly T[], is: (each: T) => boolean) => list.some(is);
  return [
    ...platforms.filter((each) => !bundle.platforms.includes(each)).map((each) => `it is not for ${each}`),
    ...(k3s && bundle.k3s?.version !== k3s.version ? [`k3s ${k3s.version} is not in it`] : []),
    ...images
      .filter(({ reference }) => !has(bundle.images, (each) => each.reference === reference))
      .map(({ reference }) => `the image ${reference} is not in it`),
    ...charts
      .filter(({ name, version }) => !has(bundle.charts, (each) => each.name === name && each.version === version))
      .map(({ name, version }) => `the chart ${name} ${version} is not in it`),
    ...models
      .filter(
        ({ repository, revision }) =>
          !has(
            bundle.models,
            (each) => each.repository === repository && (each.revision === revision || each.commit === revision),
          ),
      )
      .map(({ repository, revision }) => `the model ${repository}@${revision} is not in it`),
  ];
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
