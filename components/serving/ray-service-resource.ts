import type * as kubernetes from "@pulumi/kubernetes";

/** GcsFaultToleranceOptions of KubeRay 1.6.0. */
export interface GcsFaultTolerance {
  /** Host and port. */
  readonly redisAddress: string;
  readonly redisPassword: Pick<kubernetes.types.input.core.v1.EnvVar, "valueFrom">;
}

/**
 * Fields of ray-project/kuberay 1.6 that the platform sets, validated against its CRD by a test.
 */
export interface IRayService {
  readonly apiVersion: "ray.io/v1";
  readonly kind: "RayService";
  readonly metadata?: object;
  readonly spec?: {
    /** Body of Serve's REST API; JSON is YAML. */
    readonly serveConfigV2: string;
    /** `NewCluster`: the old cluster serves until the new one does. */
    readonly upgradeStrategy: { readonly type: "NewCluster" };
    readonly rayClusterDeletionDelaySeconds: number;
    readonly excludeHeadPodFromServeSvc: boolean;
    /** The operator adds name, labels and selector. */
    readonly serveService: kubernetes.types.input.core.v1.Service;
    readonly rayClusterConfig: {
      readonly rayVersion: string;
      readonly enableInTreeAutoscaling: false;
      readonly gcsFaultToleranceOptions: GcsFaultTolerance;
      readonly headGroupSpec: {
        readonly rayStartParams: Readonly<Record<string, string>>;
        readonly template: kubernetes.types.input.core.v1.PodTemplateSpec;
      };
      readonly workerGroupSpecs: readonly {
        readonly groupName: string;
        /** Pods of one replica. */
        readonly numOfHosts: number;
        readonly replicas: number;
        readonly minReplicas: number;
        readonly maxReplicas: number;
        readonly rayStartParams: Readonly<Record<string, string>>;
        readonly template: kubernetes.types.input.core.v1.PodTemplateSpec;
      }[];
    };
  };
}
