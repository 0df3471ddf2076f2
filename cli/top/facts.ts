/** Data of `top`, as in `--json`. */
import type { TaskKind, TaskState } from "../../services/model-control/src/tasks/task";

export interface SourceState {
  /** Undefined: no option names it. */
  readonly url?: string;
  readonly ok: boolean;
  /** Why the answer is missing or incomplete. */
  readonly problem?: string;
  readonly lookAt?: string;
  /** Time of the last answer, and of its figures. */
  readonly answeredAt?: string;
}

export interface WorkerRow {
  readonly name: string;
  readonly engine: string;
  readonly state: string;
  readonly memory: { readonly usedBytes: number; readonly budgetBytes: number };
  readonly disk?: { readonly usedBytes: number; readonly budgetBytes: number };
  readonly models: readonly string[];
  readonly problem?: string;
}

/** From Prometheus. */
export interface ModelFigures {
  readonly ready?: number;
  readonly waiting?: number;
  readonly running?: number;
  /** 95th percentiles of the last five minutes. */
  readonly firstTokenMs?: number;
  readonly tokenMs?: number;
  /** 99th percentile of whole requests. */
  readonly requestMs?: number;
  /** Fractions, of the fullest replica. */
  readonly kvCache?: number;
  readonly gpuMemory?: number;
  /** Claims of its pods at the plan's prices. */
  readonly usdPerHour?: number;
}

export interface ModelRow extends ModelFigures {
  /** From plan and metrics, or the control API for models added at run time. */
  readonly name: string;
  /** From the control API. */
  readonly state?: string;
  readonly workers?: readonly string[];
  /** From the plan. */
  readonly plannedReplicas?: number;
  readonly hourlyUsd?: number;
}

export interface TaskRow {
  readonly id: string;
  readonly kind: TaskKind;
  readonly state: TaskState;
  readonly model?: string;
  readonly worker?: string;
  /** Percent. */
  readonly progress: number;
  readonly step?: string;
  readonly error?: string;
  readonly finishedAt?: string;
}

export interface GpuRow {
  readonly node: string;
  readonly gpu: string;
  readonly product: string;
  readonly model?: string;
  /** Fraction. */
  readonly memory?: number;
  readonly utilization?: number;
}

export interface AlertRow {
  readonly name: string;
  readonly severity: string;
  /** Model or namespace. */
  readonly about?: string;
}

export interface ControlFacts {
  readonly workers: readonly WorkerRow[];
  readonly models: readonly {
    readonly name: string;
    readonly state: string;
    readonly pinned: boolean;
    readonly workers: readonly string[];
  }[];
  readonly tasks: readonly TaskRow[];
}

export interface MetricFacts {
  readonly models: Readonly<Record<string, ModelFigures>>;
  readonly gpus: readonly GpuRow[];
  readonly alerts: readonly AlertRow[];
  /** US dollars of everything running, at the plan's prices. @default unrecorded */
  readonly usdPerHour?: number;
}

/** Known without requests. */
export interface PlanFacts {
  readonly environment: string;
  readonly hourlyUsd: number;
  readonly models: readonly { readonly name: string; readonly replicas: number; readonly hourlyUsd: number }[];
}

export interface Snapshot {
  readonly at: string;
  readonly environment?: string;
  /** Permanent parts of the plan. Undefined without an environment. */
  readonly hourlyUsd?: number;
  /** Recorded for running parts. Undefined without the series. */
  readonly actualHourlyUsd?: number;
  readonly sources: { readonly control: SourceState; readonly prometheus: SourceState };
  readonly workers: readonly WorkerRow[];
  readonly models: readonly ModelRow[];
  /** Waiting, running, and recently failed. */
  readonly tasks: readonly TaskRow[];
  readonly gpus: readonly GpuRow[];
  readonly alerts: readonly AlertRow[];
}
