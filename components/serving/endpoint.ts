import type { Engine, EngineName } from "../../engines";
import type { ModelTask, Revision } from "../../planner/types";
import type { BackendKind } from "../../services/model-control/src/backends/backend";
import type { Autoscaler as AutoscalerReference } from "../../services/model-control/src/fleet/workers";

/** Controller with a `scale` subresource. */
export type ScaleTarget =
  | { readonly apiVersion: "apps/v1"; readonly kind: "StatefulSet" | "Deployment"; readonly name: string }
  | { readonly apiVersion: "leaderworkerset.x-k8s.io/v1"; readonly kind: "LeaderWorkerSet"; readonly name: string };

export interface EngineControl {
  /** What the API speaks to the engine with. */
  readonly backend: BackendKind;
  /**
   * One per process, or one for replicas that share everything; those of a StatefulSet in order.
   */
  readonly engines: readonly string[];
  /** The minimum, at least one: for a start whose earlier number is lost. */
  readonly replicas: number;
  /** @default none */
  readonly autoscaler?: AutoscalerReference;
  /** GPU memory, or the pod's without GPUs, GiB per process. */
  readonly memoryGiB: number;
  /** GiB per process; absent unless the engine fetches models. */
  readonly diskGiB?: number;
  /** Planned models stay on disk, and in memory unless the environment allows otherwise. */
  readonly planned: readonly PlannedNames[];
}

/** A planned model at its engine. */
export interface PlannedNames {
  /** Key of the model in the environment. */
  readonly model: string;
  /** All that the engine knows it by. */
  readonly names: readonly string[];
}

/** What a node offers besides what its engine does. */
export interface NodeEndpoint {
  /** Name of the server group. */
  readonly group: string;
  /** Port of `/health` and `/infer`, at the model's Service. */
  readonly port: number;
  /** Prometheus endpoints of each node. */
  readonly metrics: readonly { readonly name: string; readonly port: number; readonly path: string }[];
}

/** Where a model answers in the cluster. */
export interface ModelEndpoint {
  /** Key of the model in the environment. */
  readonly model: string;
  /** What clients put in the `model` field. */
  readonly servedName: string;
  /**
   * Further names, each a separate model to clients, usage and quotas. At most 63.
   * @default none
   */
  readonly otherNames?: readonly string[];
  /** Revision under another model's name. @default none */
  readonly revisionOf?: Revision;
  readonly engine: EngineName;
  readonly task: ModelTask;
  readonly namespace: string;
  /** Name of the Service that fronts ready replicas. */
  readonly service: string;
  /** Where it listens, by the API that it speaks. */
  readonly ports: Engine["ports"];
  /** Answers 200 on the first port while the model is loaded. @default none */
  readonly readyPath?: string;
  /** Pods that answer; only leaders in a multi-node group. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Whether other engines of the namespace differ by instance label only. @default false */
  readonly besideOthers?: true;
  /** Scaled with the model. @default fixed by the plan */
  readonly scale?: ScaleTarget;
  /** Absent without model control, or over several nodes. */
  readonly control?: EngineControl;
  /** Envoy of a server group's node. */
  readonly node?: NodeEndpoint;
  /** Metrics of each pod, if any. */
  readonly metrics?: { readonly port: number; readonly path: string };
}

/** OpenAI's API, routed by model name. */
export type OpenAiEndpoint = ModelEndpoint & { readonly ports: { readonly openai: number } };

/** Own name first. */
export function namesOf({ servedName, otherNames = [] }: ModelEndpoint): readonly string[] {
  return [servedName, ...otherNames];
}

export function speaksOpenAi(endpoint: ModelEndpoint): endpoint is OpenAiEndpoint {
  return endpoint.ports.openai !== undefined;
}
