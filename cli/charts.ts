/** `npm run charts`: caches every chart the platform may install, with its digest in the lock. */
import { parseArgs } from "node:util";
import { installedCharts } from "../catalog/chart-images";
import { type ChartEntry, chart } from "../catalog/charts";
import { type FilledCharts, fillCharts } from "../charts/fill";
import { ChartRepositories } from "../charts/find";
import { HttpRegistry } from "../charts/http-registry";
import { LOCK_FILE } from "../charts/lock";
import { ChartsError, LockFile, pinOf } from "../charts/lock-file";
import { type ChartProblem, problemLines } from "../charts/problem";
import { ChartStore } from "../charts/store";
import { projectRoot } from "../names/project-root";
import { userCache } from "../names/user-cache";
import { style } from "../report/style";
import { type CommandIo, EXIT, lineOf } from "./io";
import { Progress } from "./progress";

const USAGE = `Usage: npm run charts -- [options]

Fetches every Helm chart that a platform may install into the cache (~/.cache/inference-stacks/charts), once. Each is compared
with its digest in the catalogue or in ${LOCK_FILE}; where neither has one yet, the lock gets it: commit that file. pulumi up
does the same by itself (docs/charts.md).

  --check      offline: report what is in the cache with the right bytes
  --json       machine-readable
  -h, --help   this text

Exit status: 0 every chart is there; 1 some is not, or was refused; 2 bad input.
`;

export const options = {
  check: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface ChartsPlace {
  readonly charts: readonly ChartEntry[];
  /** Of the lock. */
  readonly project: string;
  /** Of the cache. */
  readonly cache: string;
}

interface Row {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly state: "cached" | "fetched" | "missing";
  readonly sha256?: string;
  readonly problem?: string;
  readonly fix?: string;
}

/** Exit status. */
export async function main(argv: string[], io: CommandIo, place: ChartsPlace = placeHere()): Promise<number> {
  const parsed = parse(argv);
  if ("problem" in parsed) {
    io.err(`${parsed.problem}\n\n${USAGE}`);
    return EXIT.badInput;
  }
  if (parsed.help) {
    io.out(USAGE);
    return EXIT.ok;
  }
  try {
    const rows = parsed.check ? present(place) : await fetched(place, io);
    io.out(parsed.json ? `${JSON.stringify(rows, undefined, 2)}\n` : report(rows, place, io.color));
    return rows.some(({ state }) => state === "missing") ? EXIT.refused : EXIT.ok;
  } catch (error) {
    if (error instanceof ChartsError) {
      io.err(`${error.message}\n`);
      return EXIT.refused;
    }
    throw error;
  }
}

function placeHere(): ChartsPlace {
  return { charts: installedCharts.map(chart), project: projectRoot(), cache: userCache("charts") };
}

function present({ charts, project, cache }: ChartsPlace): Row[] {
  const lock = new LockFile(project).read();
  const store = new ChartStore(cache);
  return charts.map(({ name, version, repository, ...rest }) => {
    const sha256 = pinOf({ name, version, repository, ...rest }, lock)?.sha256;
    const row = { name, version, repository, ...(sha256 !== undefined && { sha256 }) };
    return sha256 !== undefined && store.get(sha256) !== undefined
      ? { ...row, state: "cached" }
      : {
          ...row,
          state: "missing",
          problem: `${name}: ${sha256 === undefined ? "its digest is not known yet" : "not in the cache"}`,
          fix: "npm run charts",
        };
  });
}

async function fetched({ charts, project, cache }: ChartsPlace, io: CommandIo): Promise<Row[]> {
  const progress = new Progress(io, "Fetching charts");
  let done = 0;
  try {
    const filled = await fillCharts(charts, {
      lock: new LockFile(project),
      store: new ChartStore(cache),
      repositories: new ChartRepositories(new HttpRegistry()),
      onFetched: ({ name }) => {
        done += 1;
        progress.update(`${done}: ${name}`);
      },
    });
    return charts.map((each) => rowOf(each, filled));
  } finally {
    progress.stop();
  }
}

function rowOf(entry: ChartEntry, { obtained, problems }: FilledCharts): Row {
  const { name, version, repository } = entry;
  const got = obtained.get(entry);
  return got === undefined
    ? { name, version, repository, state: "missing", ...rowProblem(problems.get(entry)) }
    : { name, version, repository, state: got.from === "cache" ? "cached" : "fetched", sha256: got.sha256 };
}

function rowProblem(found: ChartProblem | undefined): Pick<Row, "problem" | "fix"> {
  return found === undefined ? {} : { problem: found.message, fix: found.fix };
}

function report(rows: readonly Row[], { cache }: ChartsPlace, color: boolean): string {
  const s = style(color);
  const width = Math.max(...rows.map(({ name, version }) => name.length + version.length + 1));
  const lines = rows.map(
    ({ name, version, state, sha256 }) => `${`${name} ${version}`.padEnd(width)}  ${state.padEnd(7)}  ${sha256 ?? ""}`,
  );
  const missing = rows.filter(({ state }) => state === "missing");
  const end =
    missing.length === 0
      ? s.good(`All ${rows.length} charts are in ${cache}.`)
      : [
          s.bad(`${missing.length} of ${rows.length} charts are not in ${cache}:`),
          ...problemLines(missing.map(({ problem = "", fix = "" }) => ({ message: problem, fix }))).map(
            (line) => `  ${line}`,
          ),
        ].join("\n");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n\n${end}\n`;
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options }).values;
  } catch (error) {
    return { problem: lineOf(error) };
  }
}
