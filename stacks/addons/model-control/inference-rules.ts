/** Rules of asynchronous inference and unloading models. */
import { inferenceMiB } from "../../../components/model-control/inference-settings";
import { MOST_QUEUE_MIB, mostQueued, queueMiB } from "../../../components/model-control/queue-size";
import type { Rule } from "../../config/core/rule";
import type { ModelControlConfig } from "./config";

type Own = { readonly modelControl: ModelControlConfig };

const INFERENCE = ["modelControl", "inference"] as const;

/** The API never existed: one that is only off keeps its settings. */
function hasNoApi({ enabled, image }: ModelControlConfig): boolean {
  return !enabled && image === undefined;
}

export const inferenceHasAnApi: Rule<Own> = function* ({ sections: { modelControl } }) {
  if (modelControl?.inference.enabled && hasNoApi(modelControl)) {
    yield {
      path: [...INFERENCE, "enabled"],
      value: true,
      allowed: "nothing, without the API, which answers for models",
      fix: "write modelControl.enabled: true, or remove it",
    };
  }
};

export const inferenceLimitsGoTogether: Rule<Own> = function* ({ sections: { modelControl } }) {
  if (!modelControl?.enabled || !modelControl.inference.enabled) {
    return;
  }
  const { inference } = modelControl;
  for (const field of ["tokens", "answerSeconds"] as const) {
    const { default: usual, max } = inference[field];
    if (usual > max) {
      yield {
        path: [...INFERENCE, field, "default"],
        value: usual,
        allowed: `no more than ${[...INFERENCE, field, "max"].join(".")}, which is ${max}`,
        fix: `write default: ${max}, or raise max`,
      };
    }
  }
  const { queued, queuedPerCaller, lifeSeconds, wait, keys } = inference;
  if (queuedPerCaller > queued) {
    yield {
      path: [...INFERENCE, "queuedPerCaller"],
      value: queuedPerCaller,
      allowed: `no more than ${[...INFERENCE, "queued"].join(".")}, which is ${queued}: one caller would keep all others out`,
      fix: `write queuedPerCaller: ${Math.max(1, Math.floor(queued / 5))}, or raise queued`,
    };
  }
  const waitSeconds = wait.polls * wait.seconds;
  if (waitSeconds > lifeSeconds) {
    yield {
      path: [...INFERENCE, "lifeSeconds"],
      value: lifeSeconds,
      allowed: `at least the ${waitSeconds} seconds that a task may wait for its model (wait.polls times wait.seconds)`,
      fix: `write lifeSeconds: ${waitSeconds}, or lower wait.polls`,
    };
  }
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) < index) {
      yield { path: [...INFERENCE, "keys", index], value: key, allowed: "each key once", fix: "remove it" };
    }
  }
};

/** Valkey's memory follows from the limits, which may be too high: it refuses what does not fit. */
export const inferenceFitsItsQueue: Rule<Own> = function* ({ sections: { modelControl } }) {
  if (!modelControl?.enabled || !modelControl.inference.enabled) {
    return;
  }
  const { inference } = modelControl;
  const needed = queueMiB(inference);
  if (needed > MOST_QUEUE_MIB) {
    const { queued, promptKiB, keepSeconds, concurrency } = inference;
    const fitting = mostQueued(inference);
    yield {
      path: [...INFERENCE, "queued"],
      value: queued,
      allowed: `limits that take at most ${MOST_QUEUE_MIB} MiB of the task queue's memory; ${queued} tasks of up to ${promptKiB} KiB, and the answers of ${concurrency} at a time kept for ${keepSeconds} s, take ${inferenceMiB(inference)} MiB, which asks for ${needed}`,
      fix:
        fitting > 0
          ? `write queued: ${fitting}, or lower promptKiB`
          : "lower keepSeconds or concurrency: the answers alone take too much",
    };
  }
};

export const idleHasAnApi: Rule<Own> = function* ({ sections: { modelControl } }) {
  if (!modelControl || !hasNoApi(modelControl)) {
    return;
  }
  const { seconds, models } = modelControl.idle;
  if (seconds !== undefined || Object.keys(models).length > 0) {
    yield {
      path: ["modelControl", "idle"],
      value: modelControl.idle,
      allowed: "nothing, without the API: only it unloads models",
      fix: "write modelControl.enabled: true, or remove it",
    };
  }
};

/** Polls that certainly see a model loaded for a task. */
const LOOKS = 2;

/** A task sees its loaded model at the next poll: unloading before would reload it forever. */
export const idleModelsWaitForTasks: Rule<Own> = function* ({ sections: { modelControl } }) {
  if (!modelControl?.enabled || !modelControl.inference.enabled) {
    return;
  }
  const { idle, inference } = modelControl;
  const least = LOOKS * inference.wait.seconds;
  const times: [(string | number)[], number | "never" | undefined][] = [
    [["seconds"], idle.seconds],
    ...Object.entries(idle.models).map(([name, time]): [string[], number | "never"] => [["models", name], time]),
  ];
  for (const [where, time] of times) {
    if (typeof time === "number" && time < least) {
      yield {
        path: ["modelControl", "idle", ...where],
        value: time,
        allowed: `at least ${least} seconds (${LOOKS} times modelControl.inference.wait.seconds): a task polls its model that often`,
        fix: `write ${least}, or lower modelControl.inference.wait.seconds`,
      };
    }
  }
};
