import { type StepContext, stepSignal } from "../context";
import type { ControlApi } from "../control-api";
import { rounded } from "../figures";
import { StepFailure, type StepOutcome } from "../result";
import { poll } from "../wait";

/** Stops the model's worker, verifies it, and starts it again in any case. */
export async function stopWorker({ control, model, args, onProgress }: StepContext): Promise<StepOutcome> {
  if (control === undefined) {
    return { status: "not applicable", detail: "only the control API can stop a worker" };
  }
  if (!args.stopWorker) {
    return { status: "skipped", detail: "give --stop-worker; its users are cut off meanwhile" };
  }
  const worker = await control.workerOf(model, stepSignal(args));
  if (worker === undefined) {
    throw new StepFailure({
      expected: `a worker has ${model}`,
      got: "none",
      lookAt: "GET /workers of the control API",
    });
  }
  const begun = performance.now();
  const seconds = (): number => rounded((performance.now() - begun) / 1000, 3);
  onProgress(`stopping ${worker}`);
  let stoppedAfter: number;
  try {
    await control.change(worker, "stop", stepSignal(args));
    await reaches(control, worker, "stopped", args.timeoutSeconds);
    stoppedAfter = seconds();
  } catch (error) {
    // The worker must start again; only the first failure is reported.
    await control.change(worker, "start", stepSignal(args)).catch(() => {});
    throw error;
  }
  onProgress(`starting ${worker}`);
  await control.change(worker, "start", stepSignal(args));
  await reaches(control, worker, "running", args.timeoutSeconds);
  const restartedAfter = rounded(seconds() - stoppedAfter, 3);
  return {
    detail: `${worker} stopped in ${stoppedAfter.toFixed(1)} s, runs again after ${restartedAfter.toFixed(1)} s more`,
    figures: { worker, stopSeconds: stoppedAfter, startSeconds: restartedAfter },
  };
}

async function reaches(control: ControlApi, name: string, wanted: string, timeoutSeconds: number): Promise<void> {
  let last = "not listed";
  const reached = async (): Promise<true | undefined> => {
    const worker = await control.worker(name, stepSignal({ timeoutSeconds }));
    last = worker === undefined ? "not listed" : `${worker.state}${worker.problem ? ` (${worker.problem})` : ""}`;
    return worker?.state === wanted ? true : undefined;
  };
  if ((await poll(reached, timeoutSeconds, 500)) !== undefined) {
    return;
  }
  throw new StepFailure({
    expected: `worker ${name} is ${wanted}`,
    got: `${last} after ${timeoutSeconds} s`,
    lookAt: `its pods and their events; if it should run: POST /workers/start {"worker":"${name}"}`,
  });
}
