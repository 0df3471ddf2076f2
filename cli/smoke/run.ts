import { visible } from "../../names/visible";
import type { SmokeArguments } from "./arguments";
import { type Found, type StepContext, stepSignal } from "./context";
import { rounded } from "./figures";
import { HttpClient, NoAnswer } from "./http";
import { type SmokeReport, StepFailure, type StepOutcome, type StepResult } from "./result";
import { concurrency } from "./steps/concurrency";
import { health } from "./steps/health";
import { inference } from "./steps/inference";
import { latency } from "./steps/latency";
import { pull } from "./steps/pull";
import { stopWorker } from "./steps/stop-worker";
import { unload } from "./steps/unload";

/** Progress of the check. */
export interface SmokeObserver {
  readonly started: (step: string) => void;
  readonly progress: (step: string, what: string) => void;
  readonly ended: (result: StepResult) => void;
}

interface Step {
  readonly name: string;
  /** Required step: without it this one fails for the same reason. */
  readonly needs?: string;
  readonly run: (context: StepContext) => Promise<StepOutcome>;
}

const HEALTH = "health";

/** In order, after health. */
const STEPS: readonly Step[] = [
  { name: "pull", run: pull },
  { name: "latency", needs: "pull", run: latency },
  { name: "concurrency", needs: "latency", run: concurrency },
  { name: "asynchronous inference", needs: "pull", run: inference },
  { name: "unload", needs: "pull", run: unload },
  { name: "stop worker", needs: "pull", run: stopWorker },
];

/** Runs all seven steps. Outside failures are in the report, never thrown. */
export async function smoke(args: SmokeArguments, observer: SmokeObserver): Promise<SmokeReport> {
  const users = new HttpClient(args.url, { token: args.apiKey, ca: args.ca, connectTo: args.connectTo });
  const results: StepResult[] = [];
  const record = async (name: string, run: () => Promise<StepOutcome>): Promise<void> => {
    observer.started(name);
    const result = await timed(name, run);
    results.push(result);
    observer.ended(result);
  };
  let found: Found = {};
  const notes: string[] = [];
  await record(HEALTH, async () => {
    const { outcome, notes: said, ...rest } = await health(args, users);
    found = rest;
    notes.push(...said);
    if (outcome instanceof StepFailure) {
      throw outcome;
    }
    return outcome;
  });
  const model = args.model ?? found.endpoint?.models[0];
  const context: Omit<StepContext, "onProgress"> = {
    ...found,
    args,
    inference: users,
    model: model ?? "",
    chatPath: found.endpoint?.chatPath ?? "",
    servedModel: args.servedModel ?? model ?? "",
    stateBefore: await stateOf(found, model, args),
  };
  for (const { name, needs, run } of STEPS) {
    const needed = results.find((result) => result.name === needs);
    const reason = reasonToSkip(found, needed);
    await record(name, async () =>
      reason === undefined
        ? run({ ...context, onProgress: (what) => observer.progress(name, what) })
        : { status: "skipped", detail: reason },
    );
  }
  return shown({
    url: args.url,
    controlUrl: args.controlUrl,
    model,
    lifecycle: found.lifecycle?.label,
    notes,
    steps: results,
  });
}

/** Keeps untrusted texts in their line: model names, versions, errors. */
function shown(report: SmokeReport): SmokeReport {
  return {
    ...report,
    model: report.model && visible(report.model),
    lifecycle: report.lifecycle && visible(report.lifecycle),
    notes: report.notes.map(visible),
    steps: report.steps.map(({ detail, failure, ...step }) => ({
      ...step,
      detail: visible(detail),
      ...(failure && {
        failure: { expected: visible(failure.expected), got: visible(failure.got), lookAt: visible(failure.lookAt) },
      }),
    })),
  };
}

/** Undefined if unknown: the pull then reports why. */
async function stateOf({ lifecycle }: Found, model: string | undefined, args: SmokeArguments) {
  if (lifecycle === undefined || model === undefined) {
    return undefined;
  }
  return lifecycle.state(model, stepSignal(args)).catch((error: unknown) => {
    if (error instanceof StepFailure || error instanceof NoAnswer) {
      return undefined;
    }
    throw error;
  });
}

function reasonToSkip({ endpoint }: Found, needed?: StepResult): string | undefined {
  if (endpoint === undefined) {
    return "nothing usable answers at --url";
  }
  if (needed?.status === "failed" || needed?.status === "skipped") {
    return `${needed.name} did not pass`;
  }
  return undefined;
}

async function timed(name: string, run: () => Promise<StepOutcome>): Promise<StepResult> {
  const begun = performance.now();
  const seconds = (): number => rounded((performance.now() - begun) / 1000, 3);
  try {
    const { status = "passed", detail, figures } = await run();
    return { name, status, seconds: seconds(), detail, figures };
  } catch (error) {
    if (error instanceof StepFailure) {
      return failed(name, seconds(), error);
    }
    if (!(error instanceof NoAnswer)) {
      throw error;
    }
    const explanation = { expected: "an answer", got: error.message, lookAt: error.lookAt };
    return failed(name, seconds(), new StepFailure(explanation));
  }
}

function failed(name: string, seconds: number, { explanation }: StepFailure): StepResult {
  return { name, status: "failed", seconds, detail: explanation.got, failure: explanation };
}
