/** Tables of what was answered to starts and failures. */
import type { Table } from "../table";
import { type CourtOutcome, OUTCOMES } from "./cases";
import type { Judged, NotScored } from "./judge";

/** Rows that are a guess in several respects do not count. */
const LEAST_SURE = 2;

/** Shares of the rows that count. */
export interface Score {
  readonly failures: number;
  /** Failures that are refused, or called "edge". */
  readonly caught: number;
  readonly refused: number;
  readonly starts: number;
  /** Starts that are said to fit. */
  readonly accepted: number;
  readonly startsOnEdge: number;
}

export function scoreOf(judged: readonly Judged[]): Score {
  const sure = judged.filter(({ case: { sureness } }) => sureness >= LEAST_SURE);
  const starts = sure.filter(({ case: { outcome } }) => outcome === "starts");
  const failures = sure.filter(({ case: { outcome } }) => outcome !== "starts");
  const count = (rows: readonly Judged[], ...answers: readonly Judged["answer"][]) =>
    rows.filter(({ answer }) => answers.includes(answer)).length;
  return {
    failures: failures.length,
    caught: count(failures, "edge", "no"),
    refused: count(failures, "no"),
    starts: starts.length,
    accepted: count(starts, "fits"),
    startsOnEdge: count(starts, "edge"),
  };
}

export function tablesOf(judged: readonly Judged[], notScored: readonly NotScored[]): Table[] {
  const wrong = judged.filter(({ case: { outcome }, answer }) =>
    outcome === "starts" ? answer !== "fits" : answer === "fits",
  );
  return [
    confusion(`Answers to cases that are sure (${LEAST_SURE} and more)`, judged.filter(isSure)),
    confusion("Answers to all cases", judged),
    confusion(
      "Answers where the thread names the release",
      judged.filter((one) => one.case.isExactVersion),
    ),
    scoreTable(scoreOf(judged)),
    {
      title: "Failures said to fit, and starts that were not",
      columns: ["case", "sure", "outcome", "answer", "need GiB", "limit GiB", "pool GiB"],
      rows: wrong.map(({ case: one, answer, needGiB, limitGiB, poolGiB }) => [
        `${one.id} ${one.source}: ${one.model}`.slice(0, 90),
        `${one.sureness}`,
        one.outcome,
        answer,
        needGiB.toFixed(2),
        limitGiB.toFixed(2),
        poolGiB.toFixed(2),
      ]),
    },
    {
      title: "Not scored",
      columns: ["case", "reason"],
      rows: notScored.map(({ case: one, reason }) => [`${one.id} ${one.model}`, reason.slice(0, 110)]),
    },
  ];
}

function isSure({ case: { sureness } }: Judged): boolean {
  return sureness >= LEAST_SURE;
}

const NAMES: Readonly<Record<CourtOutcome, string>> = {
  starts: "started",
  kv_too_small: "KV cache too small",
  oom_load: "out of memory while loading",
  oom_warmup: "out of memory in warm-up",
  other: "refused for another reason",
  unsupported: "not supported",
};

function confusion(title: string, judged: readonly Judged[]): Table {
  const answers = ["fits", "edge", "no"] as const;
  return {
    title,
    columns: ["", ...answers],
    rows: OUTCOMES.map((outcome) => {
      const rows = judged.filter((one) => one.case.outcome === outcome);
      return [
        `${NAMES[outcome]} (${rows.length})`,
        ...answers.map((answer) => `${rows.filter((one) => one.answer === answer).length}`),
      ];
    }),
  };
}

function scoreTable({ failures, caught, refused, starts, accepted, startsOnEdge }: Score): Table {
  return {
    title: "Shares of the cases that are sure",
    columns: ["", "cases", "share"],
    rows: [
      ["failures refused or on the edge", `${caught} of ${failures}`, percent(caught, failures)],
      ["failures refused", `${refused} of ${failures}`, percent(refused, failures)],
      ["starts that fit", `${accepted} of ${starts}`, percent(accepted, starts)],
      ["starts on the edge", `${startsOnEdge} of ${starts}`, percent(startsOnEdge, starts)],
    ],
  };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`;
}
