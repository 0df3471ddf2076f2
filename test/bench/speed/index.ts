/** The speed model beside published measurements: errors on groups that no fit has seen, or a score of other rows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import { constantRows, ownConstants } from "../../../planner/speed/constants";
import { band } from "../../../planner/speed/margin";
import type { Group } from "../group";
import { CsvError } from "../memory/csv";
import { heldOut } from "./held-out";
import { predict, questionOf } from "./predict";
import { failuresOf, tableOfErrors, tableOfUnanswered, tableOfVerdicts } from "./report";
import { type Resolved, resolve, type Unanswered } from "./resolve";
import { type Measured, readMeasured, readRows } from "./rows";

/** Measurements that the constants are fitted to. */
export const OWN_MEASUREMENTS = join(repositoryRoot(), "test/bench/speed/measured.csv");

export function speedGroup({ rows }: { readonly rows?: string }): Group {
  return {
    measure: async (_, progress) => (rows === undefined ? judged(progress) : scored(readFile(rows, readRows))),
  };
}

function judged(progress: (text: string) => void) {
  const { answered, unanswered } = sorted(readFile(OWN_MEASUREMENTS, readMeasured));
  const outcomes = heldOut(answered, constantRows, progress);
  return {
    tables: [...tableOfErrors(outcomes), tableOfVerdicts(outcomes), tableOfUnanswered(unanswered)],
    measurements: {
      rows: outcomes.map(({ resolved: { row }, leftOut, predicted }) => ({
        id: row.id,
        leftOut,
        measured: row.value,
        predicted,
      })),
      unanswered: unanswered.map(unansweredJson),
    },
    failures: failuresOf(outcomes),
  };
}

/** Rows of any origin, answered with the constants as they are; band of 80 %. */
function scored({ rows, unreadable }: ReturnType<typeof readRows>) {
  const { answered, unanswered } = sorted(rows);
  const silent: Unanswered[] = [
    ...unreadable.map(({ row, problems }) => ({ row, reason: problems.join("; ") })),
    ...unanswered,
  ];
  const predictions = answered.flatMap((resolved) => {
    const question = questionOf(resolved);
    const predicted = predict(resolved, ownConstants);
    if (question === undefined || predicted === undefined || !Number.isFinite(predicted) || predicted <= 0) {
      silent.push({ row: resolved.row, reason: whyNot(resolved, question !== undefined) });
      return [];
    }
    const { low, high } = band(question, resolved.setup, 0.8, "same-card-and-engine");
    return [{ id: resolved.row.id, predicted, low: predicted * low, high: predicted * high }];
  });
  return {
    tables: [tableOfUnanswered(silent, predictions.length)],
    measurements: { predictions, unanswered: silent.map(unansweredJson) },
    answer: predictions,
    failures: predictions.length > 0 ? [] : ["no row could be predicted"],
  };
}

function whyNot({ row: { metric, notes } }: Resolved, isKnown: boolean): string {
  if (!isKnown) {
    return `nothing is predicted of ${metric} under such a load`;
  }
  return metric === "requests_per_s_at_slo"
    ? `its notes name no limits as "TTFT <= N ms and p99 TPOT <= N ms": ${notes.slice(0, 80)}`
    : "requests come faster than they are answered: waits depend on how long the run was";
}

function sorted(rows: readonly Measured[]) {
  const all = rows.map(resolve);
  return {
    answered: all.filter((each): each is Resolved => "setup" in each),
    unanswered: all.filter((each): each is Unanswered => "reason" in each),
  };
}

function unansweredJson({ row: { id, model, gpu, metric }, reason }: Unanswered) {
  return { id, model, gpu, metric, unanswered: reason };
}

/** @throws Error that names the file and every mistake in it */
function readFile<Rows>(path: string, read: (text: string) => Rows): Rows {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new Error(`--rows ${path}: there is no file that can be read`);
  }
  try {
    return read(text);
  } catch (error) {
    throw error instanceof CsvError ? new Error(`${path}\n${error.message}`) : error;
  }
}
