/** Tables of the errors of many start-ups, by class. */
import { findGpus } from "../../../catalog/find-gpu";
import { cardClassOf, releaseLine } from "../../../engines/vllm/memory/evidence";
import type { Table } from "../table";
import type { Outcome, Unresolved } from "./outcome";
import { errorWith, hasPool, refit, type WithPool } from "./refit";

/** Ways to part start-ups into classes. */
const classes: readonly (readonly [name: string, of: (outcome: Outcome) => string])[] = [
  ["vendor", ({ evidence }) => evidence.traits.processor],
  ["card and release", ({ evidence: { traits } }) => `card ${traits.card}, release ${traits.version}`],
  ["card generation", generationOfOutcome],
  ["release", ({ startUp }) => releaseLine(startUp.version ?? "")],
  ["attention", ({ evidence: { traits } }) => `${traits.attention}${traits.experts === "none" ? "" : ", experts"}`],
  ["weight format", ({ evidence }) => evidence.names.format],
  ["layout", ({ startUp }) => `TP ${startUp.tensorParallel} × PP ${startUp.pipelineParallel}`],
  ["laboratory", ({ startUp }) => laboratoryOf(startUp.source)],
];

/** What is left out, one value at a time, in the table of fits. */
const leftOut = ["laboratory", "card generation", "release"];

export function tablesOf(outcomes: readonly Outcome[], unresolved: readonly Unresolved[]): Table[] {
  return [
    errorTable("All start-ups", [["all", outcomes]]),
    ...classes.map(([name, of]) => errorTable(`By ${name}`, groupsOf(outcomes, of))),
    ...classes
      .filter(([name]) => leftOut.includes(name))
      .map(([name, of]) => leaveOneOutTable(name, groupsOf(outcomes.filter(hasPool), of), outcomes.filter(hasPool))),
    ...(unresolved.length > 0 ? [unresolvedTable(unresolved)] : []),
  ];
}

const errorColumns = [
  "",
  "rows",
  "weights %",
  "KV tokens %",
  "pool GiB",
  "inside",
  "over",
  "under",
  "width GiB",
  "fits/edge/no",
];

function errorTable(title: string, groups: readonly (readonly [string, readonly Outcome[]])[]): Table {
  return {
    title: `${title}: errors as median / p90 / largest; pool beyond the interval; verdict on the load that did start`,
    columns: errorColumns,
    rows: groups.map(([name, outcomes]) => {
      const pools = outcomes.filter(hasPool).map(({ pool }) => pool);
      const count = (where: string) => pools.filter((pool) => pool.where === where).length;
      const answers = (["fits", "edge", "no"] as const).map(
        (answer) => pools.filter(({ verdict }) => verdict.answer === answer).length,
      );
      return [
        name,
        String(outcomes.length),
        spread(outcomes.flatMap(({ weightsPercent }) => weightsPercent ?? [])),
        spread(outcomes.flatMap(({ tokensPercent }) => tokensPercent ?? [])),
        spread(pools.map(({ errorGiB }) => errorGiB)),
        pools.length === 0 ? "" : `${count("inside")} of ${pools.length}`,
        String(count("over")),
        String(count("under")),
        median(pools.map(({ intervalGiB: { below, above } }) => below + above)),
        answers.join("/"),
      ];
    }),
  };
}

function leaveOneOutTable(
  name: string,
  groups: readonly (readonly [string, readonly WithPool[]])[],
  all: readonly WithPool[],
): Table {
  return {
    title: `Leave one ${name} out: the pool's error (GiB, median / p90 / largest) with the fitted parts scaled to the rest`,
    columns: ["", "rows", "as shipped", "fitted without it", "inside", "activation ×", "non-torch ×", "graphs ×"],
    rows: groups.map(([value, outcomes]) => {
      const fit = refit(all.filter((outcome) => !outcomes.includes(outcome)));
      const errors = outcomes.map((outcome) => errorWith(outcome, fit));
      const inside = outcomes.filter(({ pool: { intervalGiB } }, index) => {
        const error = errors[index] ?? 0;
        return error <= intervalGiB.above && -error <= intervalGiB.below;
      });
      const scale = (part: keyof typeof fit.scales) =>
        fit.kept.includes(part) ? "too few" : fit.scales[part].toFixed(2);
      return [
        value,
        String(outcomes.length),
        spread(outcomes.map(({ pool }) => pool.errorGiB)),
        spread(errors),
        `${inside.length} of ${outcomes.length}`,
        scale("activationGiB"),
        scale("nonTorchGiB"),
        scale("graphsGiB"),
      ];
    }),
  };
}

function unresolvedTable(unresolved: readonly Unresolved[]): Table {
  return {
    title: "Not estimated",
    columns: ["line", "model and card", "reason"],
    rows: unresolved.map(({ startUp, reason }) => [
      String(startUp.line),
      `${printable(startUp.model)} on ${printable(startUp.gpu)}`,
      printable(reason),
    ]),
  };
}

function groupsOf<Item extends Outcome>(
  outcomes: readonly Item[],
  of: (outcome: Outcome) => string,
): (readonly [string, readonly Item[]])[] {
  const groups = new Map<string, Item[]>();
  for (const outcome of outcomes) {
    const name = printable(of(outcome));
    groups.set(name, [...(groups.get(name) ?? []), outcome]);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
}

function generationOfOutcome({ card }: Outcome): string {
  const [gpu] = findGpus(card);
  return gpu ? cardClassOf(gpu) : card;
}

/** Where a log was published: the repository or site of an address, else the first words. */
export function laboratoryOf(source: string): string {
  const address = /([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})((?:\/[\w.-]+){0,2})/i.exec(source);
  if (address === null) {
    return source.split(/[,;]/)[0]?.trim() || "unknown";
  }
  const [, host = "", path = ""] = address;
  return /^(?:github|gitlab|huggingface)\./i.test(host) ? `${host}${path}` : host;
}

/** Median, nine tenths and largest of absolute values. */
function spread(values: readonly number[]): string {
  if (values.length === 0) {
    return "";
  }
  const sorted = values.map(Math.abs).sort((a, b) => a - b);
  return [0.5, 0.9, 1].map((part) => quantile(sorted, part).toFixed(2)).join(" / ");
}

function median(values: readonly number[]): string {
  return values.length === 0
    ? ""
    : quantile(
        [...values].sort((a, b) => a - b),
        0.5,
      ).toFixed(2);
}

/** The value that `part` of the sorted values do not exceed. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** Text of a file that is not ours, on one line of a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, " ").slice(0, 120);
}
