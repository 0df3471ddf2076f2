/** Certifier settings of a pool: written by components/gpu/nccl-gate.ts, read by certify.ts. */
import type { Expected } from "./verdict.ts";

export interface GateSettings {
  readonly pool: string;
  readonly namespace: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Resources that a node advertises once drivers are ready. */
  readonly resources: Readonly<Record<string, number>>;
  /** Key of the taint that certification removes, and of the annotation with the result. */
  readonly taint: string;
  readonly annotation: string;
  /** Certified nodes required before the first models. */
  readonly minNodes: number;
  readonly expected: Expected;
  readonly seconds: {
    /** Timeout for nodes and drivers of a new pool. */
    readonly ready: number;
    /** Timeout for scheduling a trial: nodes are fixed, so it fits at once or not. */
    readonly schedule: number;
    readonly pull: number;
    /** Timeout of a trial's container before it counts as hanging. */
    readonly run: number;
    /** Delay before a refused node is tested again. */
    readonly retry: number;
    /** Silence after which a certifier counts as dead. */
    readonly lease: number;
    readonly poll: number;
  };
  /** Name of the suspended CronJob with the Job template of trials, without name and nodes. */
  readonly template: string;
}
