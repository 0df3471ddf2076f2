import {
  ApiException,
  AppsV1Api,
  type ConfigurationOptions,
  KubeConfig,
  type ObservableMiddleware,
  PatchStrategy,
  setHeaderOptions,
  type V1Scale,
} from "@kubernetes/client-node";
import { messageOf } from "../backends/engine-client";
import { withTimeLimit } from "../backends/time-limit";
import { EngineRefusal, EngineUnavailable } from "../errors";
import { shortened } from "../words";
import type { Scaler } from "./scaler";
import type { ScaleTarget } from "./workers";

const TIMEOUT_SECONDS = 10;

/**
 * Scales by the `scale` subresource alone, so its role needs no more than `get` and `patch` on
 * `statefulsets/scale` or `deployments/scale` of the targets' names.
 */
export class KubernetesScaler implements Scaler {
  private readonly api: AppsV1Api;

  constructor(config: KubeConfig) {
    this.api = config.makeApiClient(AppsV1Api);
  }

  /** With the pod's own service account. */
  static inCluster(): KubernetesScaler {
    const config = new KubeConfig();
    config.loadFromCluster();
    return new KubernetesScaler(config);
  }

  async replicas(target: ScaleTarget, signal: AbortSignal): Promise<number> {
    const { namespace, name } = target;
    const scale = await this.call(target, "read", signal, () =>
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
    await this.call(target, `scale to ${replicas}`, signal, () =>
      target.kind === "StatefulSet"
        ? this.api.patchNamespacedStatefulSetScale(request, options)
        : this.api.patchNamespacedDeploymentScale(request, options),
    );
  }

  /** The client takes no signal, and has no time limit of its own. */
  private async call(
    { namespace, kind, name }: ScaleTarget,
    verb: string,
    signal: AbortSignal,
    ask: () => Promise<V1Scale>,
  ): Promise<V1Scale> {
    const what = `Kubernetes did not ${verb} ${kind} ${namespace}/${name}`;
    try {
      return await withTimeLimit(signal, TIMEOUT_SECONDS, (both) => Promise.race([ask(), aborted(both)]));
    } catch (error) {
      if (signal.aborted) {
        throw signal.reason;
      }
      if (!(error instanceof ApiException)) {
        throw new EngineUnavailable(`${what}: ${shortened(messageOf(error))}`);
      }
      const message = `${what}: ${error.code} ${wordsOf(error.body)}`;
      throw error.code >= 500 || error.code === 429 ? new EngineUnavailable(message) : new EngineRefusal(message);
    }
  }
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The message of a Kubernetes Status. */
function wordsOf(body: unknown): string {
  try {
    const status = (typeof body === "string" ? JSON.parse(body) : body) as { readonly message?: unknown } | undefined;
    if (typeof status?.message === "string") {
      return shortened(status.message);
    }
  } catch {
    // Not JSON: a proxy's answer.
  }
  return shortened(String(body), 300);
}
