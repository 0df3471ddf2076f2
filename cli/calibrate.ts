/** `npm run calibrate`: serving speed from Prometheus, as files for plans. */
import { join, relative } from "node:path";
import { type EnvironmentRun, runEnvironment } from "../offline/environment";
import { version } from "../package.json";
import type { SpeedMeasurement } from "../planner/speed/measurement";
import type { ModelPlan } from "../planner/types";
import { CALIBRATION_FOLDER, calibrationFileName } from "../stacks/calibration/files";
import { measurementText } from "../stacks/calibration/schema";
import {
  CALIBRATE_OPTIONS,
  CALIBRATE_USAGE,
  type CalibrateArguments,
  readCalibrateArguments,
} from "./calibrate/arguments";
import { judgeBands } from "./calibrate/bands";
import { gather, seriesNames } from "./calibrate/gather";
import { loadsOf } from "./calibrate/loads";
import { refusalOf } from "./calibrate/refusal";
import { type CalibratedModel, calibrationText } from "./calibrate/report";
import { deadline } from "./deadline";
import { type CommandIo, EXIT } from "./io";
import { plannedSubject } from "./measure/subject";
import { toldFailure } from "./measure/told-failure";
import { writeMeasurement } from "./measure/write";
import { Progress } from "./progress";
import { Prometheus, type Window } from "./prometheus/client";
import { openEnvironment } from "./read-environment";
import { HttpClient } from "./smoke/http";
import { toldMistakes } from "./told-mistakes";

export const options = CALIBRATE_OPTIONS;

/** All queries of one model. */
const ANSWER_SECONDS = 60;

/** Shorter intervals have few requests, and more of them would be megabytes of answers. */
const LEAST_STEP_SECONDS = 300;
const MOST_INTERVALS = 288;

const ADVICE = {
  late: "the load of Prometheus; a smaller --hours",
  unauthorized: "a port-forward to Prometheus, which asks for no key",
};

/** Exit status; never throws for bad input or outside failures. */
export async function main(argv: string[], io: CommandIo, now = Date.now): Promise<number> {
  const opening = openEnvironment(readCalibrateArguments(argv), CALIBRATE_USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const progress = new Progress(io, `asking Prometheus about ${environment.name}`);
  const run = await toldMistakes(io, progress, () => runEnvironment(environment));
  if (run === undefined) {
    return EXIT.badInput;
  }
  const { plan } = run;
  try {
    // Reports an unknown name.
    const only = args.model === undefined ? undefined : plannedSubject(run, args.model);
    const asked = plan.models.filter(({ name }) => only === undefined || name === args.model);
    const http = new HttpClient(args.prometheus, {
      ca: args.ca,
      userAgent: "inference-stacks-calibrate",
      advice: ADVICE,
    });
    const window = windowOf(args.hours, now());
    const models: CalibratedModel[] = [];
    for (const model of asked) {
      const result = await calibrated(run, model, new Prometheus(http), window);
      models.push(args.dryRun ? result : written(result, environment.baseDirectory));
    }
    const times = { from: isoOf(window.start), to: isoOf(window.end) };
    const report = { environment: plan.environment, ...times, models };
    io.out(args.json ? `${JSON.stringify(report, undefined, 2)}\n` : calibrationText(models));
    return models.some((each) => "refused" in each) || models.length === 0 ? EXIT.refused : EXIT.ok;
  } catch (error) {
    return toldFailure(error, io);
  }
}

function windowOf(hours: CalibrateArguments["hours"], now: number): Window {
  const step = Math.max(LEAST_STEP_SECONDS, Math.ceil((hours * 3600) / MOST_INTERVALS));
  const end = Math.floor(now / 1000);
  return { start: end - Math.floor((hours * 3600) / step) * step, end, step };
}

/** @throws NoAnswer, StepFailure */
async function calibrated(
  run: EnvironmentRun,
  model: ModelPlan,
  prometheus: Prometheus,
  window: Window,
): Promise<CalibratedModel> {
  const names = seriesNames(model);
  if (names === undefined) {
    const reason = `${model.engine} reports no histograms of its times`;
    return { model: model.name, refused: { reason, lookAt: "npm run measure, which sends a load of its own" } };
  }
  const limit = deadline(ANSWER_SECONDS);
  const gathered = await gather(prometheus, model, names, window, limit.signal).finally(() => limit.stop());
  const refused = refusalOf(model, gathered);
  if (refused !== undefined) {
    return { model: model.name, refused };
  }
  const { loads, thin } = loadsOf(gathered.intervals, model.traffic?.sharedPrefixTokens ?? 0);
  if (loads.length === 0) {
    const reason = thin.length === 0 ? "no request in the window" : "too few requests in the window";
    return { model: model.name, refused: { reason, lookAt: "a larger --hours, or npm run measure" }, thin };
  }
  const measurement: SpeedMeasurement = {
    ...plannedSubject(run, model.name).subject,
    by: `inference-stacks ${version} from Prometheus, ${isoOf(window.start)} to ${isoOf(window.end)}`,
    measuredAt: isoOf(window.end),
    complete: thin.length === 0,
    loads: loads.map(({ load }) => load),
  };
  const { speed, noSpeed = "no reason is known" } = model;
  const judgement =
    speed === undefined
      ? { incomparable: `the plan has no speed of ${model.name}: ${noSpeed}` }
      : judgeBands(speed, loads);
  return { model: model.name, measurement, thin, judgement };
}

/** @throws MeasureFailure */
function written(result: CalibratedModel, folder: string): CalibratedModel {
  if ("refused" in result) {
    return result;
  }
  const path = join(folder, CALIBRATION_FOLDER, calibrationFileName(result.measurement));
  writeMeasurement(path, measurementText(result.measurement), "--dry-run, which writes nothing");
  return { ...result, file: relative(process.cwd(), path) };
}

function isoOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
