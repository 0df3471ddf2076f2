/** Messages between a fleet's command and workers. Plain data across processes. */
import type { ClusterConfig, ConfigProblem } from "../../stacks/config";
import type { Expected } from "../status/expected";
import type { NodePlan } from "./result";

/** Makes a process a worker. */
export const WORKER_FLAG = "--worker";

/** An environment's plan, or its cluster's expected state. */
export type Task = "plan" | "expected";

export interface Job {
  readonly task: Task;
  /** Of the environment. */
  readonly name: string;
  /** File content, and name for messages. */
  readonly text: string;
  readonly fileName: string;
  /** Base of relative paths. */
  readonly baseDirectory: string;
}

export type Outcome =
  | {
      readonly kind: "planned";
      readonly plan: NodePlan;
      readonly resources: number;
      readonly imports: readonly string[];
    }
  | {
      readonly kind: "expected";
      readonly expected: Expected;
      readonly cluster: Pick<ClusterConfig, "provision" | "kubeContext">;
    }
  /** Mistakes with their paths. */
  | { readonly kind: "problems"; readonly problems: readonly ConfigProblem[] }
  /** A user's mistake outside our files, such as in a config.json. */
  | { readonly kind: "mistake"; readonly message: string }
  /** Failure without a node's mistake. */
  | { readonly kind: "failed"; readonly message: string };
