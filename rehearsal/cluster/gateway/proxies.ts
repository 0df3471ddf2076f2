import type { KubernetesObject } from "../../../kubernetes/object";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { requirePart } from "../../parts/find";
import type { ControlPlane } from "../control-plane";
import type { PodNetwork } from "../kubelet/network";
import { RunningPod } from "../kubelet/running-pod";
import { patchStatus } from "../status";
import { waitFor } from "../wait";
import { GatewayProxy } from "./proxy";
import { podOf } from "./workload";

/**
 * Secret with the filter's settings, written by the AI gateway's controller
 * (`FilterConfigSecretPerGatewayName`, 1.0).
 */
const FILTER_SETTINGS = `inference-${GATEWAY_NAMESPACE}`;
/** Label of objects created for a Gateway (internal/gatewayapi/labels.go, 1.9). */
const OWNER = "gateway.envoyproxy.io/owning-gateway-name";

/** Paths of the gateway's programs. */
export interface GatewayPrograms {
  /** Controller, and shutdown manager of each Envoy. */
  readonly envoyGateway: string;
  readonly envoy: string;
}

/** Envoys of the Gateway: creates pods of Envoy Gateway's Deployment. */
export class Proxies {
  readonly all: GatewayProxy[] = [];
  private started = 0;

  constructor(
    private readonly plane: ControlPlane,
    private readonly network: PodNetwork,
    /** For proxies started later. */
    public programs: GatewayPrograms,
  ) {}

  /** Starts a proxy and waits until it is ready. */
  async start(): Promise<GatewayProxy> {
    const deployment = await this.deployment();
    const service = await this.service();
    const manifest = promptLogs(podOf(deployment, `${deployment.metadata.name}-${this.started++}`));
    const pod = await RunningPod.run(this.plane, this.network, manifest, {
      envoy: this.programs.envoy,
      "shutdown-manager": this.programs.envoyGateway,
      "ai-gateway-extproc": requirePart("ai-gateway-extproc"),
    });
    await pod.ready();
    const proxy = new GatewayProxy(pod, portsOf(service));
    this.all.push(proxy);
    await this.report(deployment, service);
    return proxy;
  }

  async kill(): Promise<void> {
    await Promise.all(this.all.map((proxy) => proxy.stop("kill")));
  }

  /** Waits also for the filter's settings: without them, admission adds no filter. */
  private async deployment(): Promise<KubernetesObject> {
    const { client } = this.plane;
    const metadata = { name: FILTER_SETTINGS, namespace: GATEWAY_NAMESPACE };
    await waitFor("the settings of the AI gateway's filter", () =>
      client.get({ apiVersion: "v1", kind: "Secret", metadata }),
    );
    return waitFor("Envoy Gateway's Deployment", async () => owned(await client.list("apps/v1", "Deployment")));
  }

  private async service(): Promise<KubernetesObject> {
    return waitFor("Envoy Gateway's Service", async () => owned(await this.plane.client.list("v1", "Service")));
  }

  /**
   * Sets the status that Deployment and load balancer controllers would, or the Gateway is not
   * programmed.
   */
  private async report(deployment: KubernetesObject, service: KubernetesObject): Promise<void> {
    const running = this.all.filter(({ isRunning }) => isRunning);
    const count = running.length;
    const replicas = { replicas: count, readyReplicas: count, availableReplicas: count, updatedReplicas: count };
    const { generation } = deployment.metadata;
    await patchStatus(this.plane.client, deployment, { observedGeneration: generation, ...replicas });
    const { type } = service.spec as { readonly type?: string };
    if (type === "LoadBalancer") {
      const ingress = running.map(({ address }) => ({ ip: address }));
      await patchStatus(this.plane.client, service, { loadBalancer: { ingress } });
    }
  }
}

function portsOf({ spec }: KubernetesObject): ReadonlyMap<number, number> {
  const { ports } = spec as { readonly ports: readonly { readonly port: number; readonly targetPort: number }[] };
  return new Map(ports.map(({ port, targetPort }) => [port, targetPort]));
}

interface ProxySpec {
  readonly containers: readonly { readonly name: string; readonly args?: readonly string[] }[];
}

/** Shortens Envoy's log flush interval, ten seconds by default. */
function promptLogs(pod: KubernetesObject): KubernetesObject {
  const spec = pod.spec as ProxySpec;
  const containers = spec.containers.map((container) =>
    container.name === "envoy"
      ? { ...container, args: [...(container.args ?? []), "--file-flush-interval-msec", "100"] }
      : container,
  );
  return { ...pod, spec: { ...spec, containers } };
}

function owned(objects: readonly KubernetesObject[]): KubernetesObject | undefined {
  return objects.find(({ metadata }) => metadata.labels?.[OWNER] !== undefined);
}
