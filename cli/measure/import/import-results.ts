/** Reads other tools' results, recognized by content. */

import { parseJson } from "../../../names/json-text";
import type { MeasuredLoad } from "../../../planner/speed/measurement";
import { readTextFile, UnreadableFileError } from "../../../stacks/config/text-file";
import { BadMeasurement } from "../failure";
import { fromAiperf, isAiperf } from "./aiperf";
import { fromGuidellm, isGuidellm } from "./guidellm";
import { type Imported, NotImported } from "./imported";
import { fromVllmBench, isVllmBench } from "./vllm-bench";

interface Format {
  readonly is: (value: unknown) => boolean;
  readonly read: (value: unknown) => Imported;
}

const FORMATS: readonly Format[] = [
  { is: isGuidellm, read: fromGuidellm },
  { is: isAiperf, read: fromAiperf },
  { is: isVllmBench, read: fromVllmBench },
];

/** GuideLLM includes every request. */
const MOST_BYTES = 200 * 1024 * 1024;

const KNOWN =
  "a result of vllm bench serve --save-result, GuideLLM (benchmarks.json) or AIPerf (profile_export_aiperf.json)";

export interface ImportedResults {
  readonly by: string;
  readonly measuredAt?: string;
  readonly loads: readonly MeasuredLoad[];
  readonly notes: readonly string[];
  readonly complete: boolean;
}

/**
 * All loads, lowest concurrency first.
 *
 * @throws BadMeasurement with all problems of the files.
 */
export function importResults(paths: readonly string[]): ImportedResults {
  const imported: Imported[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      for (const each of readResults(path)) {
        imported.push(each);
        notes.push(...each.notes.map((note) => `${path}: ${note}`));
      }
    } catch (error) {
      if (!(error instanceof NotImported || error instanceof UnreadableFileError)) {
        throw error;
      }
      const why = error instanceof UnreadableFileError ? `it ${error.message}` : error.message;
      problems.push(...why.split("\n").map((line) => `${path}: ${line}`));
    }
  }
  const loads = imported.flatMap((each) => each.loads).sort((a, b) => a.inFlight - b.inFlight);
  if (problems.length > 0 || loads.length === 0) {
    throw new BadMeasurement([...problems, ...notes].join("\n"), `--import: ${KNOWN}`);
  }
  const dates = imported.flatMap(({ measuredAt = [] }) => measuredAt).sort();
  const last = dates.at(-1);
  return {
    by: [...new Set(imported.map(({ by }) => by))].join(", "),
    ...(last !== undefined && { measuredAt: last }),
    loads,
    notes,
    complete: notes.length === 0,
  };
}

/** @throws NotImported, UnreadableFileError */
function readResults(path: string): Imported[] {
  const text = readTextFile(path, MOST_BYTES);
  const whole = parseJson(text);
  const values =
    whole === undefined
      ? text
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map(parseJson)
      : [whole];
  return values.map((value) => {
    const format = FORMATS.find(({ is }) => is(value));
    if (format === undefined) {
      throw new NotImported(`is not ${KNOWN}`);
    }
    return format.read(value);
  });
}
