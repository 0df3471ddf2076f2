import { RATE_LIMIT_STORE, RATE_LIMITER } from "../../../components/gateway/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ENVOY_GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import type { RunningPod } from "../../../rehearsal/cluster/kubelet/running-pod";
import { requirePart } from "../../../rehearsal/parts/find";

/** The rate limit service as Envoy Gateway asks for it, and its store as the environment renders it, on a stand that ends both. */
export class QuotaCounting {
  private constructor(
    private readonly stand: GatewayStand,
    private store: RunningPod,
    private limiter: RunningPod,
  ) {}

  static async start(stand: GatewayStand): Promise<QuotaCounting> {
    const store = await storeOf(stand);
    return new QuotaCounting(stand, store, await limiterOf(stand));
  }

  /** Value of each series of the service's own metrics. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const answer = await fetch(`http://${this.limiter.address}:${RATE_LIMITER.metricsPort}/metrics`);
    const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
    );
  }

  async stopLimiter(): Promise<void> {
    await this.limiter.kill();
  }

  /** As the Deployment replaces a pod of its. */
  async startLimiter(): Promise<void> {
    this.limiter = await limiterOf(this.stand);
  }

  async stopStore(): Promise<void> {
    await this.store.kill();
  }

  async startStore(): Promise<void> {
    this.store = await storeOf(this.stand);
  }
}

function storeOf(stand: GatewayStand): Promise<RunningPod> {
  return stand.runWorkload("StatefulSet", ENVOY_GATEWAY_NAMESPACE, RATE_LIMIT_STORE, {
    [RATE_LIMIT_STORE]: requirePart("redis-server"),
  });
}

async function limiterOf(stand: GatewayStand): Promise<RunningPod> {
  const pod = await stand.startRateLimit();
  await stand.apply([endpointSlice(pod.address)]);
  return pod;
}

/** What the controller of EndpointSlices would write: proxies find the service by it (Envoy Gateway 1.9.1). */
function endpointSlice(address: string): KubernetesObject & Readonly<Record<string, unknown>> {
  const { deployment: name, port } = RATE_LIMITER;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: ENVOY_GATEWAY_NAMESPACE, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "http", port, protocol: "TCP" }],
  };
}
