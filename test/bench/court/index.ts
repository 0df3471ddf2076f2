import { dirname, join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import type { Group } from "../group";
import type { MemoryOptions } from "../memory";
import { readFileOfRows } from "../memory/csv-row";
import { ModelIndex } from "../memory/models";
import { type Case, readCases } from "./cases";
import { type Judged, judgeAll, type NotScored } from "./judge";
import { scoreOf, tablesOf } from "./report";

export const OWN_CASES = join(repositoryRoot(), "test/fixtures/vllm-court.csv");

/** `npm run model` beside public accounts of starts and failures. */
export function courtGroup({ rows = OWN_CASES, configs }: MemoryOptions): Group {
  return {
    measure: async () => {
      const { judged, notScored } = await judgeAll(readFileOfCases(rows), new ModelIndex(configs), dirname(rows));
      return {
        tables: tablesOf(judged, notScored),
        measurements: {
          score: scoreOf(judged),
          rows: [...judged.map(judgedJson), ...notScored.map(notScoredJson)],
        },
        failures: judged.length === 0 ? ["no case could be asked"] : [],
      };
    },
  };
}

/** @throws Error that names the file and every mistake in it */
export function readFileOfCases(path: string): readonly Case[] {
  return readFileOfRows(path, readCases);
}

function judgedJson({ case: { line: _line, ...one }, ...answer }: Judged) {
  return { ...one, ...answer };
}

function notScoredJson({ case: { id, source, model, outcome, sureness }, reason }: NotScored) {
  return { id, source, model, outcome, sureness, notScored: reason };
}
