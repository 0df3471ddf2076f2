import type * as kubernetes from "@pulumi/kubernetes";

/**
 * Fields of kubernetes-sigs/lws 0.10 that the platform sets, validated against its CRD by a test.
 */
export interface ILeaderWorkerSet {
  readonly apiVersion: "leaderworkerset.x-k8s.io/v1";
  readonly kind: "LeaderWorkerSet";
  readonly metadata?: object;
  readonly spec?: {
    /** Groups. */
    readonly replicas: number;
    /** With the leader, or once it is ready. */
    readonly startupPolicy: "LeaderCreated" | "LeaderReady";
    readonly rolloutStrategy: {
      readonly type: "RollingUpdate";
      readonly rollingUpdateConfiguration: { readonly maxUnavailable: number; readonly maxSurge: number };
    };
    readonly leaderWorkerTemplate: {
      /** Pods of a group, the leader included. */
      readonly size: number;
      /** `RecreateGroupAfterStart` spares groups with pending pods. */
      readonly restartPolicy: "RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None";
      readonly leaderTemplate: kubernetes.types.input.core.v1.PodTemplateSpec;
      readonly workerTemplate: kubernetes.types.input.core.v1.PodTemplateSpec;
    };
  };
}
