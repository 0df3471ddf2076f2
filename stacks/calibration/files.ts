/** Measurements of an environment, in a folder next to its file. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { MeasuredSubject, SpeedMeasurement } from "../../planner/speed/measurement";
import { ConfigError, type ConfigProblem, toProblem } from "../config/core/problems";
import { readTextFile, UnreadableFileError } from "../config/text-file";
import { MeasurementError, parseMeasurement } from "./schema";

/** Shared by all environments of a folder. */
export const CALIBRATION_FOLDER = "calibration";

/**
 * `L40S-vllm-0.33.0-Qwen_Qwen2.5_7B_Instruct.json`: one file per card, engine version, model and
 * layout.
 */
export function calibrationFileName(subject: MeasuredSubject): string {
  const { card, engine, engineVersion, model, quantization, tensorParallel, pipelineParallel } = subject;
  const layout = [
    ...(tensorParallel > 1 ? [`tp${tensorParallel}`] : []),
    ...(pipelineParallel > 1 ? [`pp${pipelineParallel}`] : []),
  ];
  const parts = [card, engine, engineVersion, model, ...(quantization === undefined ? [] : [quantization]), ...layout];
  return `${parts.map(fileWord).join("-")}.json`;
}

/** Other characters become one underscore, as dashes separate words. */
function fileWord(text: string): string {
  return text.replace(/[^A-Za-z0-9.]+/g, "_").replace(/^[_.]+|_+$/g, "");
}

/**
 * Sorted by name; empty without the folder.
 *
 * @param baseDirectory folder of the environment's file.
 * @throws ConfigError with every unreadable or invalid file.
 */
export function readMeasurements(baseDirectory: string): readonly SpeedMeasurement[] {
  const folder = join(baseDirectory, CALIBRATION_FOLDER);
  const measurements: SpeedMeasurement[] = [];
  const problems: ConfigProblem[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    try {
      measurements.push(parseMeasurement(readTextFile(path)));
    } catch (error) {
      problems.push(problemOf(error, name, path));
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }
  return measurements;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

function problemOf(error: unknown, name: string, path: string): ConfigProblem {
  if (!(error instanceof MeasurementError || error instanceof UnreadableFileError)) {
    throw error;
  }
  const why = error instanceof MeasurementError ? error.problems.join("; ") : `it ${error.reason}`;
  return toProblem({
    path: [CALIBRATION_FOLDER, name],
    value: path,
    allowed: `a file that npm run measure wrote; here ${why}`,
    fix: "measure again, or take the file away: the plan then counts on its own figures",
  });
}
