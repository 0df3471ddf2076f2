import type * as kubernetes from "@pulumi/kubernetes";

/** Where the head keeps the cluster's state (GcsFaultToleranceOptions of KubeRay 1.6.0). */
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
    /** Applications as YAML, which JSON is: the body that Serve's REST API takes. */
    readonly serveConfigV2: string;
    /** `NewCluster`: a changed cluster is created next to the old one, which serves until the new one does. */
    readonly upgradeStrategy: { readonly type: "NewCluster" };
    /** Seconds that the old cluster lives on after the new one serves. */
    readonly rayClusterDeletionDelaySeconds: number;
    readonly excludeHeadPodFromServeSvc: boolean;
    /** The Service in front of the workers; the operator adds name, labels and selector. */
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
