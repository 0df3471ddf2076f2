import type * as kubernetes from "@pulumi/kubernetes";
import { engineOf } from "../../engines";
import { VLLM_PORT } from "../../engines/vllm";
import { vllmOwnSettings } from "../../engines/vllm/settings";
import type { ModelPlan } from "../../planner/types";
import type { HardenedContainer, HardenedPodArgs } from "../core/hardened-pod";
import { PRIORITY } from "../core/priority-classes";
import { gibibytes, modelResources } from "../core/resources";
import type { ChatTemplate } from "./chat-template";
import { engineImage } from "./engine-image";
import type { ModelServerArgs } from "./model-server";
import { DEREGISTER_SECONDS, DRAIN_SECONDS, modelVariables, variables } from "./pod-settings";
import type { Weights } from "./vllm-weights";

const CACHE_FOLDER = "/cache";
const PROBE_PERIOD_SECONDS = 10;

type Probes = Pick<HardenedContainer, "startupProbe" | "readinessProbe" | "livenessProbe">;

export interface VllmPodArgs extends Pick<ModelServerArgs, "model" | "gpu"> {
  readonly weights: Weights;
  readonly chatTemplate?: ChatTemplate | undefined;
  /** After `vllm serve`. */
  readonly arguments: readonly string[];
  readonly environment?: readonly kubernetes.types.input.core.v1.EnvVar[];
  readonly environmentFrom?: readonly kubernetes.types.input.core.v1.EnvFromSource[];
  readonly probes: Probes;
}

/** A pod that runs vLLM: alone, or as one node of a group. The GPUs belong to its engine container only. */
export function vllmPod({ model, gpu, weights, chatTemplate, ...args }: VllmPodArgs): HardenedPodArgs {
  const { sharedMemoryGiB } = model.resources;
  return {
    nodeSelector: model.nodeSelector,
    tolerations: model.tolerations,
    runtimeClassName: gpu?.runtimeClass,
    supplementalGroups: gpu?.groups,
    priorityClassName: PRIORITY.serving.name,
    terminationGracePeriodSeconds: DEREGISTER_SECONDS + DRAIN_SECONDS + 20,
    volumes: [
      ...weights.volumes,
      ...(chatTemplate?.volumes ?? []),
      ...(sharedMemoryGiB > 0
        ? [{ name: "shared-memory", emptyDir: { medium: "Memory", sizeLimit: gibibytes(sharedMemoryGiB) } }]
        : []),
    ],
    initContainers: weights.initContainers,
    containers: [
      {
        name: "vllm",
        image: engineImage(model),
        command: ["vllm", "serve"],
        args: [...args.arguments],
        ports: [{ name: "http", containerPort: VLLM_PORT }],
        env: [
          ...engineEnvironment(model),
          ...weights.environment,
          ...modelVariables(model, gpu),
          ...(args.environment ?? []),
        ],
        ...(args.environmentFrom && { envFrom: [...args.environmentFrom] }),
        volumeMounts: [
          ...weights.mounts,
          ...(chatTemplate?.mounts ?? []),
          ...(sharedMemoryGiB > 0 ? [{ name: "shared-memory", mountPath: "/dev/shm" }] : []),
        ],
        writablePaths: ["/tmp", CACHE_FOLDER],
        resources: modelResources(model.resources, engineOf(model.engine).sidecar),
        lifecycle: { preStop: { sleep: { seconds: DEREGISTER_SECONDS } } },
        ...args.probes,
      },
    ],
  };
}

/** Probes of a pod that serves the API. */
export function httpProbes(model: ModelPlan): Probes {
  const { alive, ready } = engineOf(model.engine).health;
  const get = (path: string) => ({
    httpGet: { path, port: "http" },
    periodSeconds: PROBE_PERIOD_SECONDS,
    timeoutSeconds: 5,
  });
  return {
    startupProbe: { ...get(ready), failureThreshold: startupFailures(model) },
    readinessProbe: get(ready),
    livenessProbe: { ...get(alive), failureThreshold: 6 },
  };
}

/** Probes of a pod without an API: a command that succeeds while the pod is of use. */
export function commandProbes(model: ModelPlan, command: readonly string[]): Probes {
  const exec = { exec: { command: [...command] }, timeoutSeconds: 10 };
  return {
    startupProbe: { ...exec, periodSeconds: PROBE_PERIOD_SECONDS, failureThreshold: startupFailures(model) },
    livenessProbe: { ...exec, periodSeconds: 20, failureThreshold: 3 },
  };
}

function startupFailures(model: ModelPlan): number {
  return Math.ceil(model.startupBudgetSeconds / PROBE_PERIOD_SECONDS);
}

function engineEnvironment(model: ModelPlan): kubernetes.types.input.core.v1.EnvVar[] {
  return variables({
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
    // The server gives up on its engine after ten minutes by default, less than a large model takes to load.
    VLLM_ENGINE_READY_TIMEOUT_S: String(model.startupBudgetSeconds),
    // The API that puts it to sleep exists in development mode alone. No route of the gateway leads there.
    ...(vllmOwnSettings(model).sleepMode && { VLLM_SERVER_DEV_MODE: "1" }),
  });
}
