import type * as kubernetes from "@pulumi/kubernetes";
import { VLLM_PORT } from "../../engines/vllm";
import { variablesFor } from "../../engines/vllm/releases";
import { vllmOwnSettings } from "../../engines/vllm/settings";
import type { ModelPlan } from "../../planner/types";
import type { HardenedPodArgs } from "../core/hardened-pod";
import { whileCounted } from "./drain";
import type { EngineFiles } from "./engine-files";
import { type EnginePodArgs, enginePod } from "./engine-pod";
import { modelVariables, variables } from "./pod-settings";
import { drainsItself } from "./vllm-args";

/** The container with the engine. */
export const ENGINE_CONTAINER = "vllm";
const CACHE_FOLDER = "/cache";

export interface VllmPodArgs
  extends Pick<
    EnginePodArgs,
    "model" | "gpu" | "weights" | "arguments" | "environmentFrom" | "probes" | "sidecar" | "busy"
  > {
  /** What it reads besides the weights. */
  readonly files: readonly EngineFiles[];
  readonly environment?: EnginePodArgs["environment"];
  /** @default vllm serve */
  readonly command?: readonly string[];
}

/** Alone, or one node of a group. Arguments follow `vllm serve`. */
export function vllmPod({ files, environment = [], ...args }: VllmPodArgs): HardenedPodArgs {
  const { model, gpu, weights } = args;
  return enginePod({
    ...args,
    name: ENGINE_CONTAINER,
    command: args.command ?? ["vllm", "serve"],
    port: VLLM_PORT,
    busy: args.busy ?? (drainsItself(model) ? undefined : whileCounted(model)),
    environment: [
      ...engineEnvironment(model, model.engineVersion),
      ...weights.environment,
      ...modelVariables(model, gpu),
      ...files.flatMap((each) => each.environment ?? []),
      ...environment,
    ],
    volumes: files.flatMap(({ volumes }) => volumes),
    mounts: files.flatMap(({ mounts }) => mounts),
    writablePaths: ["/tmp", CACHE_FOLDER],
  });
}

/**
 * Variables of vLLM, whatever starts it.
 * @param version of vLLM.
 */
export function engineEnvironment(model: ModelPlan, version: string): kubernetes.types.input.core.v1.EnvVar[] {
  const values = {
    // Everything that is cached lies in one writable folder: the root file system is read-only.
    HOME: CACHE_FOLDER,
    XDG_CACHE_HOME: CACHE_FOLDER,
    VLLM_CACHE_ROOT: `${CACHE_FOLDER}/vllm`,
    VLLM_CONFIG_ROOT: `${CACHE_FOLDER}/config`,
    HF_HOME: `${CACHE_FOLDER}/huggingface`,
    TRITON_CACHE_DIR: `${CACHE_FOLDER}/triton`,
    TORCHINDUCTOR_CACHE_DIR: `${CACHE_FOLDER}/inductor`,
    // PyTorch asks for the name of the user, and a numeric user has no entry in /etc/passwd.
    USER: "inference",
    // The weights are here: nothing may be fetched behind the model store's back, and nothing reported.
    HF_HUB_OFFLINE: "1",
    VLLM_NO_USAGE_STATS: "1",
    VLLM_DO_NOT_TRACK: "1",
    // The default of ten minutes is too short for large models.
    VLLM_ENGINE_READY_TIMEOUT_S: String(model.startupBudgetSeconds),
    ...(model.gpuVendor === undefined && cpuThreads(model)),
    // Sleep needs development mode. The gateway has no route to it
    // (test/e2e/gateway/development-routes.test.ts).
    ...(vllmOwnSettings(model).sleepMode && { VLLM_SERVER_DEV_MODE: "1" }),
  };
  return variables(variablesFor(version, values));
}

/**
 * The default binds a thread to every core of the machine. One core stays for API server and
 * scheduler (utils/ompmultiprocessing.py of 0.32.0 and 0.33.0).
 */
function cpuThreads({ resources }: ModelPlan): Record<string, string> {
  return {
    VLLM_CPU_OMP_THREADS_BIND: "nobind",
    OMP_NUM_THREADS: String(Math.max(1, Math.floor(resources.cpu) - 1)),
  };
}
