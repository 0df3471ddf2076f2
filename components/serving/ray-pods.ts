/** Head and GPU workers of a model's Ray cluster; KubeRay adds `ray start`. */

import type * as kubernetes from "@pulumi/kubernetes";
import { HEAD, METRICS_PORT, ray, SERVE_PORT } from "../../engines/ray";
import { vllmVersionOf } from "../../engines/ray/releases";
import { exchangeMemoryGiB } from "../../planner/pod-resources";
import type { ModelPlan } from "../../planner/types";
import { type HardenedContainer, type HardenedPodArgs, spreadInZones } from "../core/hardened-pod";
import { PRIORITY } from "../core/priority-classes";
import { gibibytes, guaranteed, modelResources } from "../core/resources";
import type { Weights } from "./copied-weights";
import { leaving, leavingSeconds, whileConnected } from "./drain";
import type { EngineFiles } from "./engine-files";
import { engineImage } from "./engine-image";
import type { ModelServerArgs } from "./model-server";
import { modelVariables, variables } from "./pod-settings";
import { KILL_GRACE } from "./probes";
import { AGENT_PORT, DASHBOARD_PORT, rayLabels } from "./ray-names";
import { engineEnvironment } from "./vllm-pod";

/** User `ray`, whose home has Python (docker/base-deps/Dockerfile of ray 2.56.0). */
const USER = 1000;
/** Ray's sessions, sockets and logs. */
const SESSION_FOLDER = "/tmp";
const CACHE_FOLDER = "/cache";
const SHARED_MEMORY = "/dev/shm";
/** Objects are requests and answers; half is left to NCCL. */
const OBJECT_STORE_SHARE = 0.5;
/** Of the head, which passes nothing on. */
const HEAD_SHARED_MEMORY_GIB = 1;
const PROBE_PERIOD_SECONDS = 10;
/**
 * A lost node closes no connection. Ray's defaults are 300 and 120 seconds (ray_config_def.h of
 * 2.56.0). Equal for all processes: servers refuse clients that ask too often.
 */
const NOTICES_LOST_PODS = {
  RAY_grpc_client_keepalive_time_ms: "30000",
  RAY_grpc_client_keepalive_timeout_ms: "20000",
};
/**
 * Time to find a new head, whose name may be cached. Serve's default is 30 (deployment_state.py of
 * 2.56.0).
 */
const FINDS_WORKERS = variables({ RAY_SERVE_SLOW_STARTUP_WARNING_S: "300" });
/** Start of Ray's processes with a local image. */
const RAY_START_SECONDS = 300;

/** Arguments of `ray start`, as KubeRay takes them: texts. */
export type RayStartParams = Readonly<Record<string, string>>;

export interface RayPod {
  readonly pod: HardenedPodArgs;
  readonly rayStartParams: RayStartParams;
}

/** What both kinds of pods share. */
function common({ model }: Pick<ModelServerArgs, "model">) {
  return {
    user: USER,
    nodeSelector: model.nodeSelector,
    tolerations: model.tolerations,
    priorityClassName: PRIORITY.serving.name,
  };
}

/**
 * A CUDA image requests all cards, which NVIDIA's runtime grants to pods without a claim
 * (accept-nvidia-visible-devices-envvar-when-unprivileged).
 */
const NO_CARDS = variables({ NVIDIA_VISIBLE_DEVICES: "void" });

/** On the replicas' pool, without GPUs; Ray starts no work there. */
export function headPod(args: Pick<ModelServerArgs, "model">): RayPod {
  const alive = { httpGet: { path: "/api/gcs_healthz", port: DASHBOARD_PORT }, timeoutSeconds: 5 };
  return {
    rayStartParams: { "num-cpus": "0", "num-gpus": "0", ...objectStore(HEAD_SHARED_MEMORY_GIB) },
    pod: {
      ...common(args),
      volumes: [sharedMemory(HEAD_SHARED_MEMORY_GIB)],
      containers: [
        {
          name: "ray-head",
          image: engineImage(args.model),
          ports: [
            { name: "gcs", containerPort: 6379, protocol: "TCP" },
            { name: "dashboard", containerPort: DASHBOARD_PORT, protocol: "TCP" },
            { name: "serve", containerPort: SERVE_PORT, protocol: "TCP" },
            { name: "metrics", containerPort: METRICS_PORT, protocol: "TCP" },
          ],
          env: [...rayEnvironment(args.model), ...FINDS_WORKERS, ...NO_CARDS],
          volumeMounts: [{ name: "shared-memory", mountPath: SHARED_MEMORY }],
          writablePaths: [SESSION_FOLDER, CACHE_FOLDER],
          resources: guaranteed(HEAD),
          startupProbe: { ...alive, ...KILL_GRACE, periodSeconds: 5, failureThreshold: RAY_START_SECONDS / 5 },
          readinessProbe: { ...alive, periodSeconds: PROBE_PERIOD_SECONDS },
          livenessProbe: { ...alive, ...KILL_GRACE, periodSeconds: PROBE_PERIOD_SECONDS, failureThreshold: 6 },
        },
      ],
    },
  };
}

export interface WorkerPodArgs extends Pick<ModelServerArgs, "model" | "gpu"> {
  readonly weights: Weights;
  readonly chatTemplate?: EngineFiles | undefined;
}

/**
 * Longer than the replacement of a lost node. KubeRay's default is 600 (constant.go of 1.6.0,
 * DefaultWorkerRayGcsReconnectTimeoutS).
 */
const HEADLESS_SECONDS = 3600;
const HEADLESS = variables({ RAY_gcs_rpc_server_reconnect_timeout_s: String(HEADLESS_SECONDS) });

/** Includes proxy and API. */
export function workerPod({ weights, chatTemplate, ...args }: WorkerPodArgs): RayPod {
  const { model, gpu } = args;
  const { sharedMemoryGiB } = model.resources;
  return {
    rayStartParams: objectStore(exchangeMemoryGiB(model.resources.gpus)),
    pod: {
      ...common(args),
      runtimeClassName: gpu?.runtimeClass,
      ...spreadInZones(rayLabels(model.name, "worker"), model.availability?.apart),
      supplementalGroups: gpu?.groups,
      terminationGracePeriodSeconds: leavingSeconds(model),
      volumes: [...weights.volumes, ...(chatTemplate?.volumes ?? []), sharedMemory(sharedMemoryGiB)],
      initContainers: weights.initContainers,
      containers: [
        {
          name: "ray-worker",
          image: engineImage(model),
          ports: [
            { name: "serve", containerPort: SERVE_PORT, protocol: "TCP" },
            { name: "metrics", containerPort: METRICS_PORT, protocol: "TCP" },
          ],
          env: [...rayEnvironment(model), ...HEADLESS, ...weights.environment, ...modelVariables(model, gpu)],
          volumeMounts: [
            ...weights.mounts,
            ...(chatTemplate?.mounts ?? []),
            { name: "shared-memory", mountPath: SHARED_MEMORY },
          ],
          writablePaths: [SESSION_FOLDER, CACHE_FOLDER],
          // Includes Ray's processes.
          resources: modelResources(model, { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 }),
          // Ray stops at once on a signal.
          lifecycle: leaving(model, whileConnected([SERVE_PORT])),
          ...workerProbes(model),
        },
      ],
    },
  };
}

/** The proxy knows the application only once it runs. */
function workerProbes(model: ModelPlan): Pick<HardenedContainer, "startupProbe" | "readinessProbe" | "livenessProbe"> {
  const ready = {
    httpGet: { path: ray.health.ready, port: "serve" },
    periodSeconds: PROBE_PERIOD_SECONDS,
    timeoutSeconds: 5,
  };
  return {
    startupProbe: {
      ...ready,
      ...KILL_GRACE,
      failureThreshold: Math.ceil(model.startupBudgetSeconds / PROBE_PERIOD_SECONDS),
    },
    readinessProbe: ready,
    livenessProbe: {
      ...KILL_GRACE,
      httpGet: { path: "/api/local_raylet_healthz", port: AGENT_PORT },
      periodSeconds: PROBE_PERIOD_SECONDS,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
  };
}

function rayEnvironment(model: ModelPlan): kubernetes.types.input.core.v1.EnvVar[] {
  return [
    ...engineEnvironment(model, vllmVersionOf(model.engineVersion)),
    // Nothing is reported from a closed pod.
    ...variables({ RAY_USAGE_STATS_ENABLED: "0", ...NOTICES_LOST_PODS }),
  ];
}

function sharedMemory(gib: number): kubernetes.types.input.core.v1.Volume {
  return { name: "shared-memory", emptyDir: { medium: "Memory", sizeLimit: gibibytes(gib) } };
}

function objectStore(sharedMemoryGiB: number): RayStartParams {
  return { "object-store-memory": String(Math.floor(sharedMemoryGiB * OBJECT_STORE_SHARE * 2 ** 30)) };
}
