/** What `top` shows: plain data, as `--json` writes it. */
import type { TaskKind, TaskState } from "../../services/model-control/src/tasks/task";

/** A server that is asked. */
export interface SourceState {
  /** Undefined: it is not asked, because no option names it. */
  readonly url?: string;
  readonly ok: boolean;
  /** Why there is no answer, or what is missing of it. */
  readonly problem?: string;
  readonly lookAt?: string;
  /** When it answered last. Its figures are of then. */
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

/** Figures of a model as Prometheus has them. */
export interface ModelFigures {
  readonly ready?: number;
  readonly waiting?: number;
  readonly running?: number;
  /** 95th percentiles of the last five minutes. */
  readonly firstTokenMs?: number;
  readonly tokenMs?: number;
  /** 99th percentile of whole requests. */
  readonly requestMs?: number;
  /** Shares, 0 to 1, of the fullest replica. */
  readonly kvCache?: number;
  readonly gpuMemory?: number;
  /** US dollars of what its pods claim, by the plan's prices. */
  readonly usdPerHour?: number;
}

export interface ModelRow extends ModelFigures {
  /** By the plan and its metrics, or by the control API, for models that came at run time. */
  readonly name: string;
  /** By the control API. */
  readonly state?: string;
  readonly workers?: readonly string[];
  /** By the plan. */
  readonly plannedReplicas?: number;
  readonly hourlyUsd?: number;
}

export interface TaskRow {
  readonly id: string;
  readonly kind: TaskKind;
  readonly state: TaskState;
  readonly model?: string;
  readonly worker?: string;
  /** Per cent. */
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
  /** 0 to 1. */
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
  /** US dollars of all that is there, by the plan's prices. @default nothing records it */
  readonly usdPerHour?: number;
}

/** What is known of an environment without asking anything of it. */
export interface PlanFacts {
  readonly environment: string;
  readonly hourlyUsd: number;
  readonly models: readonly { readonly name: string; readonly replicas: number; readonly hourlyUsd: number }[];
}

export interface Snapshot {
  readonly at: string;
  readonly environment?: string;
  /** Of what always runs, by the plan. Undefined: no environment is named. */
  readonly hourlyUsd?: number;
  /** Of what is there now, as recorded. Undefined: Prometheus has no such series. */
  readonly actualHourlyUsd?: number;
  readonly sources: { readonly control: SourceState; readonly prometheus: SourceState };
  readonly workers: readonly WorkerRow[];
  readonly models: readonly ModelRow[];
  /** Those that wait or run, and those that failed of late. */
  readonly tasks: readonly TaskRow[];
  readonly gpus: readonly GpuRow[];
  readonly alerts: readonly AlertRow[];
}
