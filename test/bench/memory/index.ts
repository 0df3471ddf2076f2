import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import type { Group } from "../group";
import { readFileOfRows } from "./csv-row";
import { ModelIndex } from "./models";
import { type Outcome, outcomesOf, type Unresolved } from "./outcome";
import { tablesOf } from "./report";
import { readStartUps, type StartUp } from "./start-ups";

/** Start-ups that the tests know. */
export const OWN_ROWS = join(repositoryRoot(), "test/fixtures/vllm-measured.csv");

export interface MemoryOptions {
  /** File of start-ups in the place of the tests' own. */
  readonly rows?: string;
  /** Folder of configurations, `owner--name/config.json`. */
  readonly configs?: string;
}

/** The memory planner beside start-up logs: errors by class, coverage of the interval, what one source carries. */
export function memoryGroup({ rows = OWN_ROWS, configs }: MemoryOptions): Group {
  return {
    measure: async () => {
      const { outcomes, unresolved } = outcomesOf(readFileOfStartUps(rows), new ModelIndex(configs));
      return {
        tables: tablesOf(outcomes, unresolved),
        measurements: { rows: [...outcomes.map(outcomeJson), ...unresolved.map(unresolvedJson)] },
        failures: memoryFailures(outcomes, rows === OWN_ROWS ? unresolved : []),
      };
    },
  };
}

/** @param expected start-ups that should have been estimated, and were not */
export function memoryFailures(outcomes: readonly Outcome[], expected: readonly Unresolved[]): readonly string[] {
  return [
    ...(outcomes.length > 0 ? [] : ["no start-up could be estimated"]),
    ...expected.map(({ startUp, reason }) => `line ${startUp.line} could not be estimated: ${reason}`),
  ];
}

/** @throws Error that names the file and every mistake in it */
export function readFileOfStartUps(path: string): readonly StartUp[] {
  return readFileOfRows(path, readStartUps);
}

function outcomeJson({ startUp, configuration, card, evidence, estimate, ...figures }: Outcome) {
  const { line, model, gpu, tensorParallel, pipelineParallel, format, maxModelLen, version, source } = startUp;
  return {
    line,
    model,
    gpu,
    tensorParallel,
    pipelineParallel,
    format,
    maxModelLen,
    version,
    source,
    configuration,
    card,
    class: evidence.traits,
    measured: { weightsGiB: startUp.weightsGiB, kvCacheGiB: startUp.kvCacheGiB, kvTokens: startUp.kvTokens },
    estimated: { weightsGiB: figures.weightsGiB, kvCacheGiB: estimate.kvPoolGiB, kvTokens: estimate.kvTokens },
    verdict: estimate.verdict,
    ...figures,
  };
}

function unresolvedJson({ startUp: { line, model, gpu, version, source }, reason }: Unresolved) {
  return { line, model, gpu, version, source, unresolved: reason };
}
