import type { Usage } from "../child";
import { pairedRatio, summarize } from "../statistics";
import { megabytes, milliseconds, seconds, type Table, times } from "../table";
import type { CandidateUsage } from "./candidates";
import type { GrowthUsage } from "./growth";
import type { BundleUsage, RunnerUsage } from "./runners";

/** One table row per way to start the program; the first one is the measure of the others. */
export function runnerTable(environment: string, runners: readonly RunnerUsage[]): Table {
  const [first] = runners;
  const baseline = first ? wall(first.rounds) : [];
  return {
    title: `plan of ${environment}, ${baseline.length} rounds`,
    columns: ["started by", "min", "median", "max", "CPU", "peak memory", "time against the first"],
    rows: runners.map(({ name, rounds }) => [name, ...usageCells(rounds), times(pairedRatio(wall(rounds), baseline))]),
  };
}

/**
 * One row per number of models; the ratio is to the row above, where ten times as much is proportional. The cost of a
 * further model leaves out what every start pays: it stays the same where cost grows in proportion.
 */
export function programGrowthTable(growth: readonly GrowthUsage[]): Table {
  return {
    title: "growth of the whole plan",
    columns: [
      "models",
      "resources",
      "min",
      "median",
      "max",
      "CPU",
      "peak memory",
      "CPU per further model",
      "CPU for 10 × the models",
    ],
    rows: growth.map(({ models, resources, program }, i) => [
      String(models),
      String(resources),
      ...usageCells(program),
      perFurtherModel(growth[i - 1], { models, program }),
      ratioTo(growth[i - 1]?.program.map(cpu), program.map(cpu)),
    ]),
  };
}

/** The same for the planner alone. */
export function plannerGrowthTable(growth: readonly GrowthUsage[]): Table {
  return {
    title: "growth of the planner alone",
    columns: ["models", "min", "median", "max", "time per model", "time for 10 × the models"],
    rows: growth.map(({ models, plannerSeconds }, i) => {
      const { min, median, max } = summarize(plannerSeconds);
      return [
        String(models),
        ...[min, median, max, median / models].map(milliseconds),
        ratioTo(growth[i - 1]?.plannerSeconds, plannerSeconds),
      ];
    }),
  };
}

/** Layouts that are held to a service level: of one search, and how many a second of CPU is enough for. */
export function candidatesTable({ candidates, layouts, cpuSeconds }: CandidateUsage): Table {
  const { min, median, max } = summarize(cpuSeconds);
  return {
    title: `${candidates} candidates on ${layouts} layouts held to a service level`,
    columns: ["min CPU", "median CPU", "max CPU", "time of a candidate", "candidates a second of CPU"],
    rows: [
      [
        ...[min, median, max].map(seconds),
        milliseconds(median / candidates),
        Math.round(candidates / median).toLocaleString("en-US"),
      ],
    ],
  };
}

/** What `npm ci` and the first run after an edit pay. */
export function bundleTable({ bytes, rounds }: BundleUsage, plan: readonly Usage[]): Table {
  return {
    title: "bundle",
    columns: ["step", "min", "median", "max", "CPU", "peak memory", "size", "time against a plan"],
    rows: [
      [
        "node cli/run.mjs --build",
        ...usageCells(rounds),
        megabytes(bytes),
        times(summarize(wall(rounds)).median / summarize(wall(plan)).median),
      ],
    ],
  };
}

function usageCells(rounds: readonly Usage[]): string[] {
  const { min, median, max } = summarize(wall(rounds));
  return [
    ...[min, median, max, summarize(rounds.map(cpu)).median].map(seconds),
    megabytes(summarize(rounds.map((r) => r.peakRssBytes)).max),
  ];
}

type ProgramGrowth = Pick<GrowthUsage, "models" | "program">;

function perFurtherModel(previous: ProgramGrowth | undefined, { models, program }: ProgramGrowth): string {
  if (!previous) {
    return "";
  }
  const added = summarize(program.map(cpu)).median - summarize(previous.program.map(cpu)).median;
  return milliseconds(added / (models - previous.models));
}

function wall(rounds: readonly Usage[]): number[] {
  return rounds.map((r) => r.wallSeconds);
}

function cpu({ cpuSeconds }: Usage): number {
  return cpuSeconds;
}

function ratioTo(previous: readonly number[] | undefined, values: readonly number[]): string {
  return previous ? times(pairedRatio(values, previous)) : "";
}
