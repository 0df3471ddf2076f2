import type * as pulumi from "@pulumi/pulumi";
import { engineOf } from "../../engines";
import { modelNamespaceName } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { AUTOSCALER_NAME } from "../../names/services";
import type { NodePlan } from "../../planner/inference-nodes";
import type { ModelPlan, Stage } from "../../planner/types";
import type { Connection, PodSelection } from "../core/connections";
import type { ControllerArgs } from "../core/controller";
import type { GpuAccess } from "../core/gpu-access";
import type { ClusterNetworks } from "../core/network";
import { NODE_PORTS } from "../node/ports";
import type { ModelStore } from "../storage/model-store";
import type { VolumeClasses } from "../storage/volume-class";
import type { EngineControl, ModelEndpoint, NodeEndpoint } from "./endpoint";
import type { RegistryAccess } from "./registry-access";

/** What servers grant to the model control API. */
export interface ControlAccess {
  /** Model control's pods and service account. */
  readonly client: PodSelection & { readonly serviceAccount: string };
  /** Spare volume for models fetched at run time, GiB. */
  readonly spareStorageGiB: number;
}

/** What every kind of model server gets. */
export interface ModelServerArgs {
  readonly model: ModelPlan;
  /** Models on the same server. @default none */
  readonly guests?: readonly ModelPlan[];
  readonly cluster: VolumeClasses;
  readonly store: ModelStore | undefined;
  /** @default none: nothing changes at run time */
  readonly control?: ControlAccess;
  /** For the model's GPU vendor. @default none */
  readonly gpu?: GpuAccess;
  /** For engines that fetch models. @default the internet */
  readonly registry?: RegistryAccess;
  /** Key for the server group's registrar. @default none */
  readonly registrarKey?: pulumi.Output<string> | undefined;
  /** The server's controller; objects of its kinds depend on it. */
  readonly controller?: readonly pulumi.Resource[];
}

/** A component that serves one model. */
export interface ModelServer extends pulumi.ComponentResource {
  readonly endpoint: ModelEndpoint;
}

/** Third-party controller of a server kind, once per cluster. */
export interface ServerController {
  /** Last part of its logical name. */
  readonly name: string;
  /** Type token of what it makes pods of. */
  readonly podsOf: string;
  install(stage: Stage): ControllerArgs;
  /** @param models those that it makes pods for. */
  connections(networks: ClusterNetworks, models: readonly ModelPlan[]): readonly Connection[];
}

export interface ModelServerClass {
  new (name: string, args: ModelServerArgs, opts?: pulumi.ComponentResourceOptions): ModelServer;
  /** @default Kubernetes itself makes its pods */
  readonly controller?: ServerController;
  /** Where the model will answer. */
  endpointOf(model: ModelPlan, control: ControlAccess | undefined, guests?: readonly ModelPlan[]): ModelEndpoint;
  /** Outgoing only; clients declare theirs. */
  connectionsOf(model: ModelPlan, networks: ClusterNetworks, registry: RegistryAccess): readonly Connection[];
}

/** Never the engine's: a Service `vllm` would break vLLM (VLLM_PORT). */
export function serverName(model: string): string {
  return `model-${model}`;
}

function nodeEndpoint({ group, registrar }: NodePlan): NodeEndpoint {
  return {
    group,
    port: NODE_PORTS.http,
    metrics: [
      { name: "node", port: NODE_PORTS.metrics, path: "/stats/prometheus" },
      ...(registrar ? [{ name: "registration", port: NODE_PORTS.registration, path: "/metrics" }] : []),
    ],
  };
}

export function modelOf({
  name,
  servedName,
  engine,
  task,
  aliases = [],
  adapters,
  revisionOf,
  node,
}: ModelPlan): Omit<ModelEndpoint, "service" | "podLabels" | "scale" | "control"> {
  const { ports, health, metrics } = engineOf(engine);
  const otherNames = [...aliases, ...(adapters?.list.map(({ name: adapter }) => adapter) ?? [])];
  return {
    model: name,
    servedName,
    ...(otherNames.length > 0 && { otherNames }),
    ...(revisionOf && { revisionOf }),
    engine,
    task,
    namespace: modelNamespaceName(name),
    ports,
    readyPath: health.ready,
    ...(node && { node: nodeEndpoint(node) }),
    ...(metrics && { metrics: { port: metrics.port, path: metrics.path } }),
  };
}

/** For replicas that share everything, behind the model's Service. */
export function serviceControl(backend: EngineControl["backend"], model: ModelPlan, port: number): EngineControl {
  const { name, servedName, aliases = [], memoryPerGpu, gpusPerNode } = model;
  return {
    backend,
    engines: [`http://${serviceHost(serverName(name), modelNamespaceName(name))}:${port}`],
    ...scaledEngines(model),
    memoryGiB: memoryPerGpu.limitGiB * Math.max(1, gpusPerNode),
    planned: [{ model: name, names: [servedName, ...aliases] }],
  };
}

/** Other autoscalers of the engines. */
export function scaledEngines({
  minReplicas,
  scaling,
}: Pick<ModelPlan, "minReplicas" | "scaling">): Pick<EngineControl, "replicas" | "autoscaler"> {
  return {
    replicas: Math.max(1, minReplicas),
    ...(scaling && { autoscaler: { kind: AUTOSCALERS[scaling.by], name: AUTOSCALER_NAME } }),
  };
}

/** Kinds of what scales models by demand. */
const AUTOSCALERS = { keda: "ScaledObject", hpa: "HorizontalPodAutoscaler" } as const;

/** @throws Error without the model store that it needs. */
export function requireStore({ model, store }: Pick<ModelServerArgs, "model" | "store">): ModelStore {
  if (store === undefined) {
    throw new Error(
      `models.${model.name}: ${model.engine} reads its weights from the model store, and this environment has none`,
    );
  }
  return store;
}
