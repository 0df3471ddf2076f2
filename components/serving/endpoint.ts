import type { Engine, EngineName } from "../../engines";
import type { ModelTask, Revision } from "../../planner/types";
import type { BackendKind } from "../../services/model-control/src/backends/backend";
import type { Autoscaler as AutoscalerReference } from "../../services/model-control/src/fleet/workers";

/** A controller in a model's namespace whose replicas are counted by its `scale` subresource. */
export type ScaleTarget =
  | { readonly apiVersion: "apps/v1"; readonly kind: "StatefulSet" | "Deployment"; readonly name: string }
  | { readonly apiVersion: "leaderworkerset.x-k8s.io/v1"; readonly kind: "LeaderWorkerSet"; readonly name: string };

/** How the model control API drives the engine of a model at run time. */
export interface EngineControl {
  /** What the API speaks to the engine with. */
  readonly backend: BackendKind;
  /**
   * One per process, or one for replicas that share everything; those of a StatefulSet in order.
   */
  readonly engines: readonly string[];
  /** The minimum, at least one: for a start whose earlier number is lost. */
  readonly replicas: number;
  /** What scales them by demand, in their namespace. @default nothing */
  readonly autoscaler?: AutoscalerReference;
  /** Memory for models in each process, GiB: of its GPUs, or the pod's where it has none. */
  readonly memoryGiB: number;
  /** Volume for models of each process, GiB; left out where the engine fetches no models itself. */
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

/** Where one model answers inside the cluster: what serving hands to the gateway and to observability. */
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
  /** Clients call it by that model's name, which answers the rest. @default a model of its own */
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
  /** Labels of the pods that answer (leaders only, in a multi-node group). */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Whether other engines of the namespace differ by instance label only. @default false */
  readonly besideOthers?: true;
  /** What runs its replicas: whatever scales the model changes this one's count. @default only the plan scales it */
  readonly scale?: ScaleTarget;
  /** Left out where the model control API is off, or cannot drive the engine: replicas that span nodes. */
  readonly control?: EngineControl;
  /** Its pods are nodes of a server group: where the Envoy next to each engine answers. */
  readonly node?: NodeEndpoint;
  /** Prometheus endpoint of each pod, where the engine has one. */
  readonly metrics?: { readonly port: number; readonly path: string };
}

/** An endpoint with OpenAI's API, which the gateway routes by the model that a request names. */
export type OpenAiEndpoint = ModelEndpoint & { readonly ports: { readonly openai: number } };

/** All that clients may put in the `model` field; its own name is the first. */
export function namesOf({ servedName, otherNames = [] }: ModelEndpoint): readonly string[] {
  return [servedName, ...otherNames];
}

export function speaksOpenAi(endpoint: ModelEndpoint): endpoint is OpenAiEndpoint {
  return endpoint.ports.openai !== undefined;
}
