import { join } from "node:path";
import { messageOf } from "../../names/message-of";
import { keptFolder, keptModule, logFile, publish } from "./cache";
import { endCommands, LoggedCommands, lastLines } from "./command";
import { moduleFolder, SETUP, searchPart } from "./find";
import { installDebianPart } from "./install-debian";
import { buildGoPart, downloadFileModules } from "./install-go";
import { installPyPiPart } from "./install-pypi";
import { downloadRelease } from "./install-release";
import { downloadModule } from "./module-archive";
import type { Part } from "./part";
import { PARTS } from "./parts";
import { CRDS, fileModules, isGoPart, isPyPiPart, pinnedModule } from "./pins";
import type { Progress } from "./progress";
import { Queue } from "./queue";
import { downloadedFiles, RELEASES_VARIABLE } from "./releases";
import { askVersion, isAtLeast } from "./version";

const LOG_LINES = 30;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Installation method. */
interface Way {
  readonly what: "download" | "build" | "installation" | "download by Go";
  /** Methods of one queue run sequentially, as they use all cores (go) or hold a lock (apt-get). */
  readonly queue?: "build" | "packages" | "debian";
  readonly install: (commands: LoggedCommands) => Promise<void>;
}

type Queues = Readonly<Record<NonNullable<Way["queue"]>, Queue>>;

interface Job {
  readonly name: string;
  /** Alternatives, in order. */
  readonly ways: readonly Way[];
}

/**
 * Installs missing dependencies and CRD modules. Failures do not stop others.
 *
 * @returns names of failed ones; the last lines of their logs were printed.
 */
export async function setUp(names: readonly string[], progress: Progress): Promise<string[]> {
  const jobs = [
    ...PARTS.filter(({ name }) => names.includes(name)).flatMap((part) => jobOf(part, progress)),
    ...(names.includes(CRDS) ? await crdJob(progress) : []),
  ];
  const queues: Queues = { build: new Queue(), packages: new Queue(), debian: new Queue() };
  const results = jobs.map(async (job) => ((await succeeds(job, queues, progress)) ? [] : [job.name]));
  for (const signal of SIGNALS) {
    process.once(signal, stopSetUp);
  }
  try {
    return (await Promise.all(results)).flat();
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, stopSetUp);
    }
  }
}

function stopSetUp(): void {
  endCommands();
  process.exit(130);
}

/** Reports found binaries; returns a job if one is missing. */
function jobOf(part: Part, progress: Progress): Job[] {
  const searches = Object.keys(part.binaries).map((binary) => ({ binary, ...searchPart(part, binary) }));
  for (const { binary, found, skipped } of searches) {
    for (const sentence of skipped) {
      progress.line(`- skipped: ${sentence}`);
    }
    if (found !== undefined) {
      progress.line(`✓ ${binary} ${found.version} (${found.origin}) ${found.path}`);
    }
  }
  return searches.every(({ found }) => found !== undefined) ? [] : [{ name: part.name, ways: waysOf(part) }];
}

async function crdJob(progress: Progress): Promise<Job[]> {
  const modules = [...fileModules().keys()];
  const folders = await Promise.allSettled(modules.map(moduleFolder));
  const missing = modules.filter((_, index) => folders[index]?.status === "rejected");
  if (missing.length === 0) {
    progress.line(`✓ ${CRDS}: ${modules.length} modules`);
    return [];
  }
  const install = async (commands: LoggedCommands) => {
    // Sequential, as each is unpacked in memory.
    for (const pinned of missing.map(pinnedModule)) {
      await publish(keptModule(pinned), (folder) => downloadModule(pinned, folder, commands));
    }
  };
  return [
    {
      name: CRDS,
      ways: [
        { what: "download", install },
        { what: "download by Go", install: downloadFileModules },
      ],
    },
  ];
}

function waysOf(part: Part): Way[] {
  if (isGoPart(part)) {
    const install = published(part, (folder, commands) => buildGoPart(part, folder, commands));
    return [...releaseWay(part), { what: "build", queue: "build", install }];
  }
  if (isPyPiPart(part)) {
    const install = published(part, (folder, commands) => installPyPiPart(part, folder, commands));
    return [{ what: "installation", queue: "packages", install }];
  }
  const install = async (commands: LoggedCommands) => {
    await installDebianPart(part, commands);
    requireFound(part);
  };
  return [{ what: "installation", queue: "debian", install }];
}

function releaseWay(part: Part): Way[] {
  const mirror = process.env[RELEASES_VARIABLE];
  const files = downloadedFiles(part);
  const install = published(part, (folder, commands) => downloadRelease(files, folder, commands, mirror));
  return files.length === 0 ? [] : [{ what: "download", install }];
}

/** Fills a dependency's folder, published only after its binaries respond. */
function published(part: Part, fill: (folder: string, commands: LoggedCommands) => Promise<void>): Way["install"] {
  return (commands) =>
    publish(keptFolder(part), async (temporary) => {
      await fill(temporary, commands);
      tryBinaries(part, temporary);
    });
}

/** @throws Error when a binary fails to run, or is older than the oldest usable version. */
function tryBinaries({ binaries, versionArgs, oldest }: Part, folder: string): void {
  if (versionArgs === undefined) {
    return;
  }
  for (const binary of Object.keys(binaries)) {
    const version = askVersion(join(folder, "bin", binary), versionArgs);
    if (oldest !== undefined && !isAtLeast(version, oldest)) {
      throw new Error(`${binary} is ${version}, older than ${oldest}`);
    }
  }
}

/** @throws Error when binaries are missing or too old despite the installed package. */
function requireFound(part: Part): void {
  for (const binary of Object.keys(part.binaries)) {
    const { found, skipped } = searchPart(part, binary);
    if (found === undefined) {
      throw new Error([`${binary} is still missing`, ...skipped].join("; "));
    }
  }
}

async function succeeds({ name, ways }: Job, queues: Queues, progress: Progress): Promise<boolean> {
  const commands = new LoggedCommands(logFile(name));
  const reasons: string[] = [];
  for (const [index, { what, queue, install }] of ways.entries()) {
    const work = () => progress.during(`${name}: ${what}`, commands.log, () => install(commands));
    try {
      await (queue === undefined ? work() : queues[queue].add(work));
      return true;
    } catch (error) {
      const reason = messageOf(error);
      const next = ways[index + 1];
      if (next !== undefined) {
        progress.line(`! ${name}: ${what} not used, ${next.what} instead: ${reason}`);
      }
      reasons.push(`${what}: ${reason}`);
    }
  }
  progress.line(`✗ ${name} failed: ${reasons.reverse().join("; ")}`);
  for (const line of lastLines(commands.log, LOG_LINES)) {
    progress.line(`    ${line}`);
  }
  progress.line(`  try again: ${SETUP} -- ${name}`);
  return false;
}
