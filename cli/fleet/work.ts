/** What a fleet's command and its workers say to each other. Plain data: it crosses processes. */
import type { ClusterConfig, ConfigProblem } from "../../stacks/config";
import type { Expected } from "../status/expected";
import type { NodePlan } from "./result";

/** Argument that makes a process of this program a worker. */
export const WORKER_FLAG = "--worker";

/** What is wanted of an environment: its plan, or what its cluster must run. */
export type Task = "plan" | "expected";

export interface Job {
  readonly task: Task;
  /** Name of the environment. */
  readonly name: string;
  /** Content of its file, and its name for messages. */
  readonly text: string;
  readonly fileName: string;
  /** Where relative paths in it start. */
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
  /** Mistakes, each with the keys that lead to it. */
  | { readonly kind: "problems"; readonly problems: readonly ConfigProblem[] }
  /** A mistake of the user's that stands in no line of a file of ours, such as in a config.json. */
  | { readonly kind: "mistake"; readonly message: string }
  /** No answer, through no mistake of the node's. */
  | { readonly kind: "failed"; readonly message: string };
