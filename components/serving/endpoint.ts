import type { EngineName, ModelTask } from "../../planner/types";

/** Where one model answers inside the cluster: what serving hands to the gateway and to observability. */
export interface ModelEndpoint {
  /** Key of the model in the environment. */
  readonly model: string;
  /** What clients put in the `model` field. */
  readonly servedName: string;
  readonly engine: EngineName;
  readonly task: ModelTask;
  readonly namespace: string;
  /** Name of the Service that fronts ready replicas. */
  readonly service: string;
  readonly port: number;
  /** Labels of the pods that answer (leaders only, in a multi-node group). */
  readonly podLabels: Readonly<Record<string, string>>;
  /** Prometheus endpoint of each pod; engines without one leave it out (Ollama). */
  readonly metrics?: { readonly port: number; readonly path: string };
}
