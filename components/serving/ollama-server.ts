import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import type { ModelPlan } from "../../planner/types";
import { type Connection, connect, podsIn } from "../core/connections";
import type { HardenedPodArgs } from "../core/hardened-pod";
import { RunToCompletion } from "../core/job";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels } from "../core/labels";
import { modelNamespaceName } from "../core/names";
import { type ClusterNetworks, internet } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable, modelResources, volumeClaimSpec } from "../core/resources";
import { headlessServiceName, Workload } from "../core/workload";
import type { EngineControl, ModelEndpoint, ScaleTarget } from "./endpoint";
import { engineImage } from "./engine-image";
import { ModelNamespace } from "./model-namespace";
import { type ControlAccess, type ModelServer, type ModelServerArgs, serverName } from "./model-server";
import {
  DRAIN_SECONDS,
  deployTimeouts,
  IMAGE_PULL_SECONDS,
  memoryAnnotations,
  modelVariables,
  variables,
} from "./pod-settings";
import type { WarmPull } from "./scripts/warm-pull";

type EnvVar = kubernetes.types.input.core.v1.EnvVar;

const APP = "ollama";
const PORT = 11434;
const HOME = "/var/lib/ollama";
/** More than fit: the API's memory budget is the limit. Ollama's own, three for each GPU, would unload without asking it. */
const CONTROLLED_MODELS = "64";

/**
 * One model on Ollama: replicas with a volume each, and a Job that pulls the model into every one of them, gives it
 * the name that clients use, and loads it. A replica becomes ready only after that.
 *
 * Ollama itself downloads from its registry, so it is the server's pods that may reach the internet, on port 443.
 */
export class OllamaServer extends PlatformComponent implements ModelServer {
  readonly endpoint: ModelEndpoint;

  /** @throws Error when the model's source is not the Ollama registry. */
  static endpointOf(model: ModelPlan, control: ControlAccess | undefined): ModelEndpoint {
    const instance = serverName(model.name);
    return {
      model: model.name,
      servedName: model.servedName,
      engine: model.engine,
      task: model.task,
      namespace: modelNamespaceName(model.name),
      service: instance,
      port: PORT,
      podLabels: selectorLabels(APP, instance),
      ...(control && { control: engineControl(model, control) }),
    };
  }

  static connectionsOf({ name }: ModelPlan, networks: ClusterNetworks): readonly Connection[] {
    const namespace = modelNamespaceName(name);
    return [
      connect({
        name: `model-${name}-to-registry`,
        reason:
          "Ollama itself pulls models, whenever it is told to: from its registry and from hosts that this one redirects to",
        from: { namespace, podLabels: selectorLabels(APP, serverName(name)) },
        to: internet(networks),
        ports: [443],
      }),
      connect({
        name: `model-${name}-to-itself`,
        reason: "A Job has each replica pull and load the model",
        from: podsIn(namespace),
        to: podsIn(namespace),
        ports: [PORT],
      }),
    ];
  }

  /** @throws Error when the model's source is not the Ollama registry. */
  constructor(name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:OllamaServer", name, opts);
    const { model, cluster } = args;
    const tag = ollamaTag(model);
    const instance = serverName(model.name);
    this.endpoint = OllamaServer.endpointOf(model, args.control);
    const { namespace } = new ModelNamespace(
      this.child("space"),
      {
        model,
        control: args.control && { ...args.control, scale: scaleTarget(model) },
      },
      this.childOptions(),
    );

    const storageGiB = volumeGiB(model, args.control);
    const volumeClaims = [{ metadata: { name: "models" }, spec: volumeClaimSpec(storageGiB, cluster.storageClass) }];
    const pod: HardenedPodArgs = {
      nodeSelector: model.nodeSelector,
      tolerations: model.tolerations,
      runtimeClassName: args.gpu?.runtimeClass,
      supplementalGroups: args.gpu?.groups,
      priorityClassName: PRIORITY.serving.name,
      terminationGracePeriodSeconds: DRAIN_SECONDS + 20,
      containers: [
        {
          name: APP,
          image: engineImage(model),
          ports: [{ name: "http", containerPort: PORT }],
          env: [...ollamaEnvironment(model, args.control !== undefined), ...modelVariables(model, args.gpu)],
          volumeMounts: [{ name: "models", mountPath: HOME }],
          writablePaths: ["/tmp"],
          resources: modelResources(model.resources),
          // It stops at once when it is told to, in the middle of an answer: only waiting lets running requests finish.
          lifecycle: { preStop: { sleep: { seconds: DRAIN_SECONDS } } },
          startupProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 5, failureThreshold: 60 },
          livenessProbe: {
            httpGet: { path: "/", port: "http" },
            periodSeconds: 10,
            timeoutSeconds: 5,
            failureThreshold: 6,
          },
          // Answers 404 until the Job has finished with this replica; "/" would say yes with an empty disk.
          readinessProbe: {
            httpGet: { path: `/v1/models/${readyName(model)}`, port: "http" },
            periodSeconds: 10,
            timeoutSeconds: 5,
          },
        },
      ],
    };
    const workload = new Workload(
      this.child("server"),
      {
        namespace,
        app: APP,
        instance,
        labels: { [MODEL_LABEL]: model.name },
        podAnnotations: memoryAnnotations(model),
        replicas: model.minReplicas,
        headless: true,
        ports: [{ name: "http", port: PORT }],
        scaledAtRunTime: args.control !== undefined,
        controller: {
          kind: "StatefulSet",
          // The volume is a cache of the registry. But what is stopped at run time, starts again with its models.
          claimRetention: { whenDeleted: "Delete", whenScaled: args.control ? "Retain" : "Delete" },
          volumeClaims,
          awaits: "updated",
        },
        controllerOptions: { customTimeouts: deployTimeouts(pullDeadlineSeconds(model)) },
        pod,
      },
      this.childOptions(),
    );
    this.warmPull(model, tag, namespace, hashOf([pod, volumeClaims]), workload.controller);
    this.registerOutputs({ endpoint: this.endpoint });
  }

  /**
   * The deployment waits for this Job rather than for ready pods, so "deployed" means that every replica has answered.
   * It runs again when the pods change (`podHash`): new ones have loaded nothing, or even have an empty volume.
   */
  private warmPull(
    model: ModelPlan,
    tag: string,
    namespace: pulumi.Output<string>,
    podHash: string,
    replicas: pulumi.Resource,
  ): void {
    const job: WarmPull = {
      servers: replicaUrls(model),
      tag,
      servedName: model.servedName,
      readyName: readyName(model),
      task: model.task,
      startTimeoutSeconds: IMAGE_PULL_SECONDS,
    };
    const scripts = jobScripts(
      this.child("scripts"),
      { namespace, name: "warm-pull", folder: "components/serving/scripts", files: ["warm-pull.ts"] },
      this.childOptions(),
    );
    new RunToCompletion(
      this.child("pull"),
      {
        namespace,
        app: "warm-pull",
        instance: "warm-pull",
        labels: { [MODEL_LABEL]: model.name },
        podAnnotations: { [ANNOTATIONS.configHash]: hashOf([scripts.hash, job, podHash]) },
        deadlineSeconds: pullDeadlineSeconds(model),
        dependsOn: [replicas],
        pod: {
          priorityClassName: PRIORITY.batch.name,
          volumes: [scripts.volume],
          containers: [
            {
              name: "pull",
              image: image("node"),
              command: ["node", scriptPath("warm-pull.ts")],
              env: [
                { name: "RUN", value: "warm-pull" },
                { name: "WARM_PULL", value: JSON.stringify(job) },
              ],
              volumeMounts: [scripts.mount],
              writablePaths: ["/tmp"],
              resources: burstable({ cpu: 0.1, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: 0.5 }),
            },
          ],
        },
      },
      this.childOptions(),
    );
  }
}

/** Address of each replica, also before it is ready. */
function replicaUrls({ name, minReplicas }: ModelPlan): string[] {
  const instance = serverName(name);
  const pods = `${headlessServiceName(instance)}.${modelNamespaceName(name)}.svc:${PORT}`;
  return Array.from({ length: minReplicas }, (_, ordinal) => `http://${instance}-${ordinal}.${pods}`);
}

function scaleTarget({ name }: ModelPlan): ScaleTarget {
  return { kind: "StatefulSet", name: serverName(name) };
}

/** Volume of each replica: for its model, and for what it is told to fetch besides. */
function volumeGiB({ modelStorageGiB }: ModelPlan, control: ControlAccess | undefined): number {
  return modelStorageGiB + (control?.spareStorageGiB ?? 0);
}

/** Each replica has a disk and a memory of its own. The names that the warm pull gives the model are pinned too. */
function engineControl(model: ModelPlan, control: ControlAccess): EngineControl {
  const { gpusPerNode, memoryPerGpu, resources } = model;
  return {
    engines: replicaUrls(model),
    scale: scaleTarget(model),
    replicas: model.minReplicas,
    memoryGiB: gpusPerNode > 0 ? memoryPerGpu.limitGiB * gpusPerNode : resources.memoryGiB,
    diskGiB: volumeGiB(model, control),
    pins: [ollamaTag(model), model.servedName, readyName(model)],
  };
}

/**
 * Variables of Ollama 0.32: models are kept loaded, with the context and the parallel requests of the plan.
 *
 * @param controlled the model control API loads further models and unloads them in time. Otherwise there is but the
 *   planned one, and a stray request for another must not take its memory.
 */
export function ollamaEnvironment(model: ModelPlan, controlled = false): EnvVar[] {
  return variables({
    HOME,
    OLLAMA_HOST: `0.0.0.0:${PORT}`,
    OLLAMA_MODELS: `${HOME}/models`,
    OLLAMA_CONTEXT_LENGTH: String(model.contextTokens),
    OLLAMA_NUM_PARALLEL: String(model.concurrency),
    OLLAMA_MAX_LOADED_MODELS: controlled ? CONTROLLED_MODELS : "1",
    OLLAMA_KEEP_ALIVE: "-1",
    OLLAMA_LOAD_TIMEOUT: `${model.startupBudgetSeconds}s`,
    OLLAMA_FLASH_ATTENTION: "1",
    // The plan counts 16-bit keys and values.
    OLLAMA_KV_CACHE_TYPE: "f16",
    OLLAMA_NO_CLOUD: "1",
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

/** A second name of the model, safe in a URL path whatever clients call it. */
function readyName(model: ModelPlan): string {
  return `ready-${model.name}`;
}

/** Each replica in turn fetches and loads the model, within its start-up budget; servers must come up first. */
function pullDeadlineSeconds(model: ModelPlan): number {
  return IMAGE_PULL_SECONDS + model.startupBudgetSeconds * model.minReplicas;
}
