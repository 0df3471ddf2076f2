import type * as kubernetes from "@pulumi/kubernetes";

/** Files besides the weights. */
export interface EngineFiles {
  readonly volumes: readonly kubernetes.types.input.core.v1.Volume[];
  readonly mounts: readonly kubernetes.types.input.core.v1.VolumeMount[];
  /** Variables that lead to them. @default none */
  readonly environment?: readonly kubernetes.types.input.core.v1.EnvVar[];
  /** Changes when the pods must be replaced. */
  readonly hash: string;
}
