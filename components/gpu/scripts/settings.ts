/** What a certifier is told of its pool: written by components/gpu/nccl-gate.ts, read by certify.ts. */
import type { Expected } from "./verdict.ts";

export interface GateSettings {
  readonly pool: string;
  /** Of the trials, and of the certifier itself. */
  readonly namespace: string;
  /** Labels of the pool's nodes. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** What a node offers once its drivers are there, by extended resource. */
  readonly resources: Readonly<Record<string, number>>;
  /** Key of the taint that nodes lose when they are certified, and of the annotation that says how their trial ended. */
  readonly taint: string;
  readonly annotation: string;
  /** Nodes that must be certified before the first models come. */
  readonly minNodes: number;
  readonly expected: Expected;
  readonly seconds: {
    /** Until the nodes of a new pool must be there with their drivers. */
    readonly ready: number;
    /** Until the scheduler must have found room for a trial: the nodes are named, so it is there or not. */
    readonly schedule: number;
    /** Until an image must be there. */
    readonly pull: number;
    /** From the start of a trial's container until it counts as hanging. */
    readonly run: number;
    /** After these a node that was refused is tried again. */
    readonly retry: number;
    /** A certifier that has not told for so long that it lives is dead. */
    readonly lease: number;
    readonly poll: number;
  };
  /** Name of the CronJob, never run by itself, whose template is the Job of a trial but for its name and nodes. */
  readonly template: string;
}
