/** `npm run measure`: serving speed, as a file for plans. */
import { join, relative } from "node:path";
import { runEnvironment } from "../offline/environment";
import { version } from "../package.json";
import type { MeasuredSubject, SpeedMeasurement } from "../planner/speed/measurement";
import { randomFrom } from "../planner/speed/random";
import { duration } from "../report/style";
import { CALIBRATION_FOLDER, calibrationFileName } from "../stacks/calibration/files";
import { measurementText } from "../stacks/calibration/schema";
import { deadline } from "./deadline";
import { type CommandIo, EXIT } from "./io";
import {
  DEFAULT_CONCURRENCY,
  MEASURE_OPTIONS,
  MEASURE_USAGE,
  type MeasureArguments,
  readMeasureArguments,
} from "./measure/arguments";
import { MeasureFailure } from "./measure/failure";
import { importResults } from "./measure/import/import-results";
import { fewestSeconds, type LoadProgress, type Loads, measureServer, type Outcome } from "./measure/measure-server";
import { announcement, measurementReport } from "./measure/report";
import { type Server, servedModel, serverAt } from "./measure/server";
import { type PlannedSubject, plannedSubject, wholeSubject } from "./measure/subject";
import { toldFailure } from "./measure/told-failure";
import { tryOut } from "./measure/trial";
import { writeMeasurement } from "./measure/write";
import { Progress } from "./progress";
import { openEnvironment } from "./read-environment";
import { HttpClient } from "./smoke/http";
import { toldMistakes } from "./told-mistakes";

export const options = MEASURE_OPTIONS;

/** A model may load at its first request. */
const TRIAL_SECONDS = 300;

const ADVICE = {
  late: "the engine's log and load: whether one request of your own is answered",
  unauthorized: "--api-key-env: the variable that holds the key, and what the key may do",
};

/** Exit status; never throws for bad input or outside failures. */
export async function main(argv: string[], io: CommandIo, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const args = readMeasureArguments(argv, env);
  if (args === "help") {
    io.out(MEASURE_USAGE);
    return EXIT.ok;
  }
  if ("problems" in args) {
    io.err(`${args.problems.join("\n")}\n\n${MEASURE_USAGE}`);
    return EXIT.badInput;
  }
  const planned = await planOf(args, io);
  if ("status" in planned) {
    return planned.status;
  }
  try {
    const { from } = args;
    const result: Result = "imports" in from ? importResults(from.imports) : await measure(args, from, planned.of, io);
    const { subject, notes } = wholeSubject(args.stated, result, planned.of);
    const measurement: SpeedMeasurement = {
      ...subject,
      by: result.by ?? `inference-stacks ${version}`,
      measuredAt: result.measuredAt ?? `${new Date().toISOString().slice(0, 19)}Z`,
      complete: result.complete,
      loads: result.loads,
    };
    const text = measurementText(measurement);
    if (args.json || args.out === "-") {
      io.out(text);
    } else {
      io.out(measurementReport(measurement, [...notes, ...result.notes]));
    }
    write(text, subject, planned.folder, args, io);
    return result.complete ? EXIT.ok : EXIT.refused;
  } catch (error) {
    return toldFailure(error, io);
  }
}

/** From an environment; empty without one. */
async function planOf(
  { environment, config, model }: MeasureArguments,
  io: CommandIo,
): Promise<{ readonly status: number } | { readonly of?: PlannedSubject; readonly folder: string }> {
  if (environment === undefined && config === undefined) {
    return { folder: process.cwd() };
  }
  const named = { environment: environment ?? "environment", config };
  const opening = openEnvironment(named, MEASURE_USAGE, io);
  if ("status" in opening) {
    return opening;
  }
  const opened = opening.environment;
  const run = await toldMistakes(io, new Progress(io, `planning ${named.environment}`), () => runEnvironment(opened));
  if (run === undefined) {
    return { status: EXIT.badInput };
  }
  try {
    return { of: plannedSubject(run, model), folder: opened.baseDirectory };
  } catch (error) {
    toldFailure(error, io);
    return { status: EXIT.badInput };
  }
}

interface Result extends Outcome, Pick<Server, "engine" | "version"> {
  /** @default this program, now */
  readonly by?: string;
  readonly measuredAt?: string;
}

/** @throws MeasureFailure, StepFailure, NoAnswer */
async function measure(
  args: MeasureArguments,
  { url, apiKey, ca }: Extract<MeasureArguments["from"], { readonly url: string }>,
  planned: PlannedSubject | undefined,
  io: CommandIo,
): Promise<Result> {
  const http = new HttpClient(url, { token: apiKey, ca, userAgent: "inference-stacks-measure", advice: ADVICE });
  const stop = new AbortController();
  const early = deadline(TRIAL_SECONDS);
  const interrupted = () => {
    stop.abort(new Error("ended by Ctrl-C"));
    early.end(new Error("ended by Ctrl-C"));
  };
  process.once("SIGINT", interrupted);
  const progress = new Progress(io, "measuring", 300);
  try {
    const server = await serverAt(http, early.signal);
    const model = servedModel(server, planned?.servedName ?? args.model);
    // Checked before the load, so that a missing name shows at once.
    wholeSubject(args.stated, server, planned);
    const { next } = randomFrom(Date.now());
    const trial = await tryOut(http, model, args.traffic, next, early.signal, (what) => progress.update(what));
    const loads = loadsOf(args, planned);
    const needed = fewestSeconds(trial, loads);
    if (needed > loads.seconds) {
      throw new MeasureFailure(
        `one request alone takes ${duration(Math.ceil(trial.sample.e2eMs / 1000))}, so that the loads need ${duration(Math.ceil(needed))} at least`,
        `--minutes ${Math.ceil((2 * needed) / 60)}, or shorter requests: --traffic in=64,out=32`,
      );
    }
    io.err(announcement(loads));
    const outcome = await measureServer(trial, loads, next, stop.signal, tellerOf(progress, io));
    if (outcome.loads.length === 0) {
      const why = stop.signal.aborted ? "ended by Ctrl-C before a load was measured" : outcome.notes.join("\n");
      throw new MeasureFailure(why, "a smaller --concurrency, more --minutes; nothing was written");
    }
    const notes = [
      ...outcome.notes.map((note) => `left out: ${note}`),
      ...(stop.signal.aborted ? ["ended early by Ctrl-C: loads of fewer rounds are less sure"] : []),
      ...(trial.sample.counted ? [] : ["the server counts no tokens: each piece of text counts as one"]),
      ...(trial.sample.inputTokens === undefined ? ["nor those of prompts, whose length is a guess"] : []),
    ];
    return { ...outcome, notes, engine: server.engine, version: server.version };
  } finally {
    progress.stop();
    early.stop();
    process.off("SIGINT", interrupted);
  }
}

/** One request, the expected concurrency, and four times that. */
function loadsOf({ concurrency, traffic, minutes }: MeasureArguments, planned: PlannedSubject | undefined): Loads {
  const expected = Math.max(2, concurrency ?? planned?.concurrency ?? DEFAULT_CONCURRENCY);
  return { traffic, inFlight: [1, expected, 4 * expected], seconds: 60 * minutes };
}

/** Interval of progress lines without a terminal. */
const LOG_SECONDS = 15;

function tellerOf(progress: Progress, io: CommandIo): (at: LoadProgress) => void {
  let next = 0;
  return ({ round, inFlight, requests, secondsLeft }) => {
    const left = duration(Math.max(0, Math.ceil(secondsLeft)));
    const text = `round ${round} · ${inFlight} at once · ${requests} answered · at most ${left} left`;
    progress.update(text);
    if (!io.draw && performance.now() >= next) {
      next = performance.now() + LOG_SECONDS * 1000;
      io.err(`… ${text}\n`);
    }
  };
}

/** @throws MeasureFailure for an unwritable place. */
function write(text: string, subject: MeasuredSubject, folder: string, { out }: MeasureArguments, io: CommandIo): void {
  if (out === "-") {
    return;
  }
  const path = out ?? join(folder, CALIBRATION_FOLDER, calibrationFileName(subject));
  writeMeasurement(path, text, "--out FILE; --out - for standard output");
  io.err(`wrote ${out ?? relative(process.cwd(), path)}\n`);
}
