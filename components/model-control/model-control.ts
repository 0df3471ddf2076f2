import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { MODEL_CONTROL, QUEUE } from "../../names/services";
import type { TraceReceiver } from "../../names/trace-receiver";
import type { Stage } from "../../planner/types";
import type { Cluster } from "../core/cluster";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable } from "../core/resources";
import { PASSWORD_KEY } from "../core/valkey";
import { Workload } from "../core/workload";
import type { ModelEndpoint } from "../serving/endpoint";
import { API_FILES, type ApiSettings, apiSettings, type IdleArgs, path } from "./api-settings";
import { ApiTokens } from "./api-tokens";
import { INFERENCE_KEYS, inferenceKeys } from "./inference-keys";
import {
  arrivalLimits,
  type InferenceArgs,
  inferenceMemoryGiB,
  inferenceSettings,
  leavingSecondsOfApi,
} from "./inference-settings";
import { ModelRelay } from "./model-relay";
import { MODEL_CONTROL_PORTS } from "./names";
import type { OutsideWorker } from "./outside-worker";
import { queueSize } from "./queue-size";
import type { RelaySettings } from "./relay-settings";
import { TaskQueue } from "./task-queue";
import { type ModelControlUsage, modelControlUsage } from "./usage";
import { WarmModels } from "./warm-models";

export interface ModelControlArgs {
  /** Image of `services/model-control`, pinned. */
  readonly image: string;
  /** The API controls those with `control`. Validation requires at least one. */
  readonly endpoints: readonly ModelEndpoint[];
  /** External engines that it controls. @default none */
  readonly workers?: readonly OutsideWorker[];
  readonly allowedRegistries: readonly string[];
  /** Models fetched to an engine's disk before the deployment ends. */
  readonly warmModels: readonly string[];
  /** Controlled engines, prerequisites of prefetching. */
  readonly engines: readonly pulumi.Resource[];
  readonly cluster: Pick<Cluster, "storageClass">;
  /** Two API replicas in production, one in development. */
  readonly stage: Stage;
  /** How the gateway reaches models loaded at run time. @default not at all */
  readonly relay?: RelaySettings;
  /** When models are unloaded automatically. @default never */
  readonly idle?: IdleArgs;
  /** @default no asynchronous inference */
  readonly inference?: InferenceArgs;
  /** Where spans are reported. @default none */
  readonly traces?: TraceReceiver | undefined;
  /**
   * Public address of the API at the gateway.
   * @default none: no access from outside the namespace
   */
  readonly publicAddress?: string;
}

/** User of the image: services/model-control/Containerfile. */
const USER = 10001;

/** Seconds for a replica without answers to hand over tasks and end requests. */
const LEAVING_SECONDS = 60;

/** Secret files belong to root: readable only by the pod's group. */
const GROUP_READS = 0o440;

/**
 * The model control API: fetches, loads, unloads and deletes models, and stops and starts engines.
 * Reachable from outside its namespace only through the gateway, if routed; every call needs a
 * token.
 */
export class ModelControl extends PlatformComponent {
  readonly usage: ModelControlUsage;

  constructor(name: string, args: ModelControlArgs, opts?: pulumi.ComponentResourceOptions) {
    super("model-control:ModelControl", name, opts);
    const endpoints = args.endpoints.filter(({ control }) => control !== undefined);
    const { workers = [] } = args;
    const { allowedRegistries, idle, inference, publicAddress } = args;
    const settings: ApiSettings = {
      ...apiSettings({
        endpoints,
        workers,
        allowedRegistries,
        proxies: publicAddress === undefined ? 0 : 1,
        ...(idle && { idle }),
        ...(inference && { inference: inferenceSettings(inference) }),
        traces: args.traces,
      }),
      ...(inference && arrivalLimits(inference)),
    };
    const { namespace } = new IsolatedNamespace(
      this.child("namespace"),
      { namespace: MODEL_CONTROL_NAMESPACE },
      this.childOptions(),
    );
    const tokens = new ApiTokens(
      this.child("tokens"),
      { namespace, ...(inference && { inference }) },
      this.childOptions(),
    );
    const queue = new TaskQueue(
      this.child("queue"),
      { namespace, storageClass: args.cluster.storageClass, size: queueSize(inference) },
      this.childOptions(),
    );
    const keys =
      inference && inferenceKeys(this.child("keys"), { namespace, ids: inference.keys }, this.childOptions());
    if (args.relay) {
      const { image, stage, relay } = args;
      new ModelRelay(
        this.child("relay"),
        { namespace, image, user: USER, settings: relay, stage },
        this.childOptions(),
      );
    }
    const api = this.api(args, settings, namespace, tokens, queue, keys);
    if (args.warmModels.length > 0) {
      new WarmModels(
        this.child("warm"),
        {
          namespace,
          models: args.warmModels,
          fleetHash: hashOf([args.image, settings]),
          dependsOn: [...api.ready, tokens, ...args.engines],
        },
        this.childOptions(),
      );
    }
    this.usage = modelControlUsage(publicAddress, inference !== undefined);
    this.registerOutputs({ usage: this.usage });
  }

  private api(
    args: ModelControlArgs,
    settings: ApiSettings,
    namespace: pulumi.Output<string>,
    tokens: ApiTokens,
    queue: TaskQueue,
    keys: kubernetes.core.v1.Secret | undefined,
  ): Workload {
    const { inference } = args;
    const data = { [API_FILES.config.file]: `${JSON.stringify(settings, undefined, 2)}\n` };
    const config = new kubernetes.core.v1.ConfigMap(
      this.child("config"),
      {
        metadata: {
          name: MODEL_CONTROL,
          namespace,
          labels: standardLabels(MODEL_CONTROL, MODEL_CONTROL),
        },
        data,
      },
      this.childOptions(),
    );
    const probe = (route: string) => ({
      httpGet: { path: route, port: "http" },
      periodSeconds: 10,
      timeoutSeconds: 5,
    });
    return new Workload(
      this.child("api"),
      {
        namespace,
        app: MODEL_CONTROL,
        instance: MODEL_CONTROL,
        replicas: { count: replicasOf(args.stage) },
        ports: [{ name: "http", port: MODEL_CONTROL_PORTS.http }],
        podAnnotations: {
          [ANNOTATIONS.configHash]: hashOf(data),
          // The API reloads tokens, but its queue connection keeps the initial password.
          ...queue.secretVersion,
        },
        controller: { kind: "Deployment" },
        controllerOptions: { dependsOn: [queue] },
        pod: {
          user: USER,
          usesKubernetesApi: true,
          priorityClassName: PRIORITY.platform.name,
          terminationGracePeriodSeconds: Math.max(LEAVING_SECONDS, inference ? leavingSecondsOfApi(inference) : 0),
          volumes: [
            { name: "config", configMap: { name: named(config, MODEL_CONTROL) } },
            { name: "tokens", secret: { secretName: tokens.hashes } },
            {
              name: "queue",
              secret: {
                secretName: named(queue.secret, QUEUE),
                items: [{ key: PASSWORD_KEY, path: API_FILES.queue.file }],
              },
            },
            ...(keys
              ? [{ name: "keys", secret: { secretName: named(keys, INFERENCE_KEYS), defaultMode: GROUP_READS } }]
              : []),
          ],
          containers: [
            {
              name: "api",
              image: args.image,
              ports: Object.entries(MODEL_CONTROL_PORTS).map(([portName, containerPort]) => ({
                name: portName,
                containerPort,
              })),
              env: [{ name: "MODEL_CONTROL_CONFIG", value: path("config") }],
              // Whole folders: the kubelet updates files only there, so that rotated tokens reach
              // the API.
              volumeMounts: Object.entries(API_FILES)
                .filter(([volume]) => keys !== undefined || volume !== "keys")
                .map(([volume, { folder }]) => ({ name: volume, mountPath: folder, readOnly: true })),
              writablePaths: ["/tmp"],
              resources: burstable(
                { cpu: 0.1, memoryGiB: 0.25 },
                { cpu: 1, memoryGiB: 0.5 + (inference ? inferenceMemoryGiB(inference) : 0) },
              ),
              startupProbe: { ...probe("/livez"), periodSeconds: 2, failureThreshold: 60 },
              livenessProbe: probe("/livez"),
              readinessProbe: probe("/readyz"),
            },
          ],
        },
      },
      this.childOptions(),
    );
  }
}
