import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { BATCH_TOKENS, ollama, OLLAMA_PORT as PORT } from "../../engines/ollama";
import { cacheType } from "../../engines/ollama/cache-type";
import { ollamaReads } from "../../engines/ollama/options";
import { PROMPT_CACHE, promptCacheMiB } from "../../engines/ollama/prompt-cache";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { hostMemoryFloorGiB } from "../../planner/pod-resources";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect } from "../core/connections";
import type { HardenedPodArgs } from "../core/hardened-pod";
import { hashOf } from "../core/job-scripts";
import type { ClusterNetworks } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { besidesSidecars, modelResources, volumeClaimSpec } from "../core/resources";
import { headlessServiceName, Workload } from "../core/workload";
import { inferenceNode } from "../node/inference-node";
import { cacheClass } from "../storage/volume-class";
import { leaving, leavingSeconds, whileConnected } from "./drain";
import type { EngineControl, ModelEndpoint } from "./endpoint";
import { engineImage } from "./engine-image";
import { modelLoader } from "./model-loader";
import { modelNamespace } from "./model-namespace";
import {
  type ControlAccess,
  type ModelServer,
  type ModelServerArgs,
  modelOf,
  scaledEngines,
  serverName,
} from "./model-server";
import {
  deployTimeouts,
  memoryAnnotations,
  modelReplicas,
  modelVariables,
  rolloutSeconds,
  variables,
} from "./pod-settings";
import { KILL_GRACE } from "./probes";
import { type RegistryAccess, registryEnd, registryVariables } from "./registry-access";
import type { ModelToLoad } from "./scripts/model-loader";

type EnvVar = kubernetes.types.input.core.v1.EnvVar;

const APP = "ollama";
const HOME = "/var/lib/ollama";
/** More than fit: the API's memory budget decides, not Ollama's default of three per GPU. */
const CONTROLLED_MODELS = "64";

/**
 * Each replica has a volume and a loader, which pulls, names and loads the models before the
 * replica is ready. Server pods download from the registry, so they may reach port 443, or only a
 * proxy or its networks.
 */
export class OllamaServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  /** @throws Error when a model's source is not the Ollama registry. */
  static endpointOf(
    model: ModelPlan,
    control: ControlAccess | undefined,
    guests: readonly ModelPlan[] = [],
  ): ModelEndpoint {
    const instance = serverName(model.name);
    return {
      ...modelOf(model),
      service: instance,
      podLabels: selectorLabels(APP, instance),
      scale: { apiVersion: "apps/v1", kind: "StatefulSet", name: instance },
      ...(control && { control: engineControl(model, guests, control) }),
    };
  }

  static connectionsOf(
    { name }: ModelPlan,
    networks: ClusterNetworks,
    registry: RegistryAccess,
  ): readonly Connection[] {
    const { to, port } = registryEnd(registry, networks);
    const namespace = modelNamespaceName(name);
    return [
      connect({
        name: `model-${name}-to-registry`,
        reason: "Ollama itself pulls models, on request: from its registry and from hosts that this one redirects to",
        from: { namespace, podLabels: selectorLabels(APP, serverName(name)) },
        to,
        ports: [port],
      }),
    ];
  }

  /** @throws Error when the model's source is not the Ollama registry. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:OllamaServer", name, opts);
    const { model, guests = [], cluster } = args;
    const { health, sidecar } = ollama;
    const instance = serverName(model.name);
    this.endpoint = OllamaServer.endpointOf(model, args.control, guests);
    const namespace = modelNamespace(
      this.child("space"),
      {
        model,
        control: args.control && { ...args.control, scale: this.endpoint.scale },
      },
      this.childOptions(),
    );

    const storageGiB = volumeGiB(model, args.control);
    const cache = isAutoscaledCache(model, args.control) ? cacheClass(cluster) : undefined;
    const volumeClaims = [
      { metadata: { name: "models" }, spec: volumeClaimSpec(storageGiB, cache ?? cluster.storageClass) },
    ];
    const loader = modelLoader(
      this.child("loader"),
      {
        namespace,
        job: { server: `http://127.0.0.1:${PORT}`, models: modelsToLoad(model, guests) },
        resources: sidecar,
      },
      this.childOptions(),
    );
    const node = inferenceNode(
      this.child("node"),
      { model, namespace, registrarKey: args.registrarKey },
      this.childOptions(),
    );
    const pod: HardenedPodArgs = {
      nodeSelector: model.nodeSelector,
      tolerations: model.tolerations,
      runtimeClassName: args.gpu?.runtimeClass,
      supplementalGroups: args.gpu?.groups,
      priorityClassName: PRIORITY.serving.name,
      terminationGracePeriodSeconds: leavingSeconds(model),
      volumes: [loader.volume],
      initContainers: [loader.container],
      containers: [
        {
          name: APP,
          image: engineImage(model),
          ports: [{ name: "http", containerPort: PORT }],
          env: [
            ...ollamaEnvironment(model, guests, args.control !== undefined),
            ...registryVariables(args.registry ?? {}),
            ...modelVariables(model, args.gpu),
          ],
          volumeMounts: [{ name: "models", mountPath: HOME }],
          writablePaths: ["/tmp"],
          resources: modelResources(model, sidecar),
          // Ollama stops at once on a signal, and counts no requests.
          lifecycle: leaving(model, whileConnected([PORT, ...(node?.ports ?? []).map(({ port }) => port)])),
          startupProbe: {
            ...KILL_GRACE,
            httpGet: { path: health.alive, port: "http" },
            periodSeconds: 5,
            failureThreshold: 60,
          },
          livenessProbe: {
            ...KILL_GRACE,
            httpGet: { path: health.alive, port: "http" },
            periodSeconds: 10,
            timeoutSeconds: 5,
            failureThreshold: 6,
          },
          readinessProbe: { httpGet: { path: health.ready, port: "http" }, periodSeconds: 10, timeoutSeconds: 5 },
        },
      ],
    };
    const replicas = modelReplicas(model, args.control);
    new Workload(
      this.child("server"),
      {
        namespace,
        app: APP,
        instance,
        labels: { [MODEL_LABEL]: model.name },
        apart: model.availability?.apart,
        podAnnotations: {
          ...memoryAnnotations(model),
          [ANNOTATIONS.configHash]: node ? hashOf([loader.hash, node.hash]) : loader.hash,
        },
        replicas,
        headless: true,
        ports: [{ name: "http", port: PORT }, ...(node?.ports ?? [])],
        controller: {
          kind: "StatefulSet",
          // The volume caches the registry: a month costs less than the GPU minutes of a download.
          // Additional replicas have none, because a volume ties them to a zone.
          claimRetention: {
            whenDeleted: "Delete",
            whenScaled: replicas.owner === "runtime" && cache === undefined ? "Retain" : "Delete",
          },
          volumeClaims,
        },
        controllerOptions: { customTimeouts: deployTimeouts(rolloutSeconds(model)) },
        pod: node?.around(pod) ?? pod,
      },
      this.childOptions(),
    );
    this.registerOutputs({ endpoint: this.endpoint });
  }
}

/** Includes unready replicas and those of demand. */
function replicaUrls({ name, minReplicas, maxReplicas, scaling }: ModelPlan): string[] {
  const instance = serverName(name);
  const pods = `${serviceHost(headlessServiceName(instance), modelNamespaceName(name))}:${PORT}`;
  const length = scaling ? maxReplicas : Math.max(1, minReplicas);
  return Array.from({ length }, (_, ordinal) => `http://${instance}-${ordinal}.${pods}`);
}

function isAutoscaledCache({ scaling, minReplicas }: ModelPlan, control: ControlAccess | undefined): boolean {
  return scaling !== undefined && minReplicas > 0 && control === undefined;
}

/** For planned models and those of requests. */
function volumeGiB({ modelStorageGiB, server }: ModelPlan, control: ControlAccess | undefined): number {
  return (server?.storageGiB ?? modelStorageGiB) + (control?.spareStorageGiB ?? 0);
}

function engineControl(model: ModelPlan, guests: readonly ModelPlan[], control: ControlAccess): EngineControl {
  const { gpusPerNode, resources } = model;
  const { limitGiB } = (model.server ?? model).memoryPerGpu;
  return {
    backend: "ollama",
    engines: replicaUrls(model),
    ...scaledEngines(model),
    memoryGiB: gpusPerNode > 0 ? limitGiB * gpusPerNode : resources.memoryGiB - ollama.sidecar.memoryGiB,
    diskGiB: volumeGiB(model, control),
    planned: [model, ...guests].map((each) => ({
      model: each.name,
      names: [ollamaTag(each), each.servedName],
    })),
  };
}

/**
 * Keeps models loaded, with planned context and parallelism; with several, the maximum.
 * @param guests that share the server.
 * @param controlled whether model control loads others; otherwise a stray request must not.
 */
export function ollamaEnvironment(model: ModelPlan, guests: readonly ModelPlan[] = [], controlled = false): EnvVar[] {
  const { server, gpusPerNode } = model;
  return variables({
    HOME,
    OLLAMA_HOST: `0.0.0.0:${PORT}`,
    OLLAMA_MODELS: `${HOME}/models`,
    OLLAMA_CONTEXT_LENGTH: String(model.contextTokens),
    OLLAMA_NUM_PARALLEL: String(Math.max(...[model, ...guests].map(({ concurrency }) => concurrency))),
    OLLAMA_MAX_LOADED_MODELS: controlled ? CONTROLLED_MODELS : String(server?.models.length ?? 1),
    // Ollama alone uses as few GPUs as possible; the plan counts all.
    ...(server && gpusPerNode > 1 && { OLLAMA_SCHED_SPREAD: "1" }),
    OLLAMA_KEEP_ALIVE: "-1",
    OLLAMA_LOAD_TIMEOUT: `${model.startupBudgetSeconds}s`,
    OLLAMA_FLASH_ATTENTION: "1",
    OLLAMA_KV_CACHE_TYPE: cacheType(model),
    [PROMPT_CACHE]: String(controlled ? 0 : keptPromptsMiB([model, ...guests])),
    ...(ollamaReads("OLLAMA_NO_CLOUD", model.engineVersion) && { OLLAMA_NO_CLOUD: "1" }),
  });
}

/**
 * Additional memory of GPU pods for kept prompts. Model control disables it, as the number of
 * models is unknown.
 */
function keptPromptsMiB(models: readonly [ModelPlan, ...ModelPlan[]]): number {
  const [model] = models;
  const { resources, gpusPerNode } = model;
  const { memoryGiB } = besidesSidecars(model, ollama.sidecar);
  const { sharedMemoryGiB, optionMemoryGiB = 0, gpus } = resources;
  const taken = hostMemoryFloorGiB(gpus) + sharedMemoryGiB + optionMemoryGiB;
  return promptCacheMiB({
    models: models.length,
    spareGiB: gpus === 0 ? 0 : memoryGiB - taken,
    oneRequestGiB: Math.max(
      ...models.map(({ memoryPerGpu, concurrency }) => (memoryPerGpu.kvCacheGiB * gpusPerNode) / concurrency),
    ),
  });
}

function ollamaTag(model: ModelPlan): string {
  if (model.source.kind !== "ollama") {
    throw new Error(
      `models.${model.name}.source: Ollama serves models of its own registry: give ollama://<tag>, not a ${model.source.kind} source`,
    );
  }
  return model.source.tag;
}

/**
 * A single model uses the server's context. Several have their own, and a fixed batch: otherwise
 * the first takes more (ollama 0.32, server/sched.go: automaticGenerationBatch). Embeddings read
 * whole texts.
 */
function modelsToLoad(model: ModelPlan, guests: readonly ModelPlan[]): ModelToLoad[] {
  return [model, ...guests].map((each) => ({
    tag: ollamaTag(each),
    servedName: each.servedName,
    task: each.task,
    ...(guests.length > 0 && {
      parameters: {
        num_ctx: each.contextTokens,
        ...(each.task !== "embedding" && { num_batch: BATCH_TOKENS }),
      },
    }),
  }));
}
