import {
  AppsV1Api,
  type ConfigurationOptions,
  KubeConfig,
  type ObservableMiddleware,
  PatchStrategy,
  setHeaderOptions,
  type V1Scale,
} from "@kubernetes/client-node";
import { Keda } from "./keda";
import { call } from "./kubernetes-call";
import type { AutoscalerState, AutoscalerWord, Scaler } from "./scaler";
import { type ScaleTarget, targetName } from "./workers";

/** Path of the kubeconfig outside a cluster. */
const KUBECONFIG = "KUBECONFIG";

/**
 * Scales through the `scale` subresource. Needs only `get` and `patch` by name on
 * `statefulsets/scale` or `deployments/scale`, and on ScaledObjects.
 */
export class KubernetesScaler implements Scaler {
  private readonly api: AppsV1Api;
  private readonly keda: Keda;

  constructor(config: KubeConfig) {
    this.api = config.makeApiClient(AppsV1Api);
    this.keda = new Keda(config);
  }

  /** Uses KUBECONFIG, or the pod's service account. */
  static ofEnvironment(): KubernetesScaler {
    const config = new KubeConfig();
    const file = process.env[KUBECONFIG];
    if (file) {
      config.loadFromFile(file);
    } else {
      config.loadFromCluster();
    }
    return new KubernetesScaler(config);
  }

  async replicas(target: ScaleTarget, signal: AbortSignal): Promise<number> {
    const { namespace, name } = target;
    const scale = await call(`read ${targetName(target)}`, signal, () =>
      target.kind === "StatefulSet"
        ? this.api.readNamespacedStatefulSetScale({ namespace, name })
        : this.api.readNamespacedDeploymentScale({ namespace, name }),
    );
    return scale.spec?.replicas ?? 0;
  }

  async scale(target: ScaleTarget, replicas: number, signal: AbortSignal): Promise<void> {
    const { namespace, name } = target;
    const request = { namespace, name, body: { spec: { replicas } } };
    const options: ConfigurationOptions<ObservableMiddleware> = setHeaderOptions(
      "Content-Type",
      PatchStrategy.MergePatch,
    );
    await call<V1Scale>(`scale to ${replicas} ${targetName(target)}`, signal, () =>
      target.kind === "StatefulSet"
        ? this.api.patchNamespacedStatefulSetScale(request, options)
        : this.api.patchNamespacedDeploymentScale(request, options),
    );
  }

  async autoscaler({ namespace, autoscaler }: ScaleTarget, signal: AbortSignal): Promise<AutoscalerState | undefined> {
    return autoscaler?.kind === "ScaledObject"
      ? this.keda.state({ namespace, name: autoscaler.name }, signal)
      : undefined;
  }

  async tell({ namespace, autoscaler }: ScaleTarget, word: AutoscalerWord, signal: AbortSignal): Promise<void> {
    if (autoscaler?.kind === "ScaledObject") {
      await this.keda.tell({ namespace, name: autoscaler.name }, word, signal);
    }
  }
}
