import type { KubernetesObject } from "../../../kubernetes/object";
import { AI_GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { serviceHost } from "../../../names/service-host";
import type { RecordedResource } from "../../../offline/run";
import { requirePart } from "../../parts/find";
import type { Authority } from "../authority";
import type { ControlPlane } from "../control-plane";
import type { PodNetwork } from "../kubelet/network";
import { RunningPod } from "../kubelet/running-pod";
import { waitFor } from "../wait";
import { AI_CONTROLLER, aiGatewayPods, envoyGatewayPods, WEBHOOK_CERTIFICATE } from "./charts";

/** Container of both Envoy Gateway pods (charts.ts). */
const CONTAINER = "envoy-gateway";

/** Envoy Gateway as a user installed it. */
export interface ExistingGateway {
  readonly namespace: string;
  /** Of its chart. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Controllers of Envoy Gateway and the AI gateway, as pods. */
export class Controllers {
  private upgrades = 0;

  private constructor(
    private readonly plane: ControlPlane,
    private readonly network: PodNetwork,
    private readonly manifest: KubernetesObject,
    private envoyGateway: RunningPod,
    private readonly aiGateway: RunningPod,
  ) {}

  /**
   * @param resources of the environment, for chart values.
   * @param program Envoy Gateway.
   * @param existing an installation of the user's, where the environment has none.
   */
  static async start(
    plane: ControlPlane,
    network: PodNetwork,
    authority: Authority,
    resources: readonly RecordedResource[],
    program: string,
    existing?: ExistingGateway,
  ): Promise<Controllers> {
    const [ai, envoy] = await Promise.all([
      aiGatewayPods(valuesOf(resources, "ai-gateway-helm")),
      existing
        ? envoyGatewayPods(existing.values, existing.namespace)
        : envoyGatewayPods(valuesOf(resources, "gateway-helm")),
    ]);
    const certificate = { name: WEBHOOK_CERTIFICATE, namespace: AI_GATEWAY_NAMESPACE };
    const names = [serviceHost(AI_CONTROLLER, AI_GATEWAY_NAMESPACE)];
    const objects = [...ai.objects, authority.tlsSecret(certificate, names), ...envoy.objects];
    await Promise.all(objects.map((object) => plane.client.apply(object)));
    const [aiGateway] = await Promise.all([
      startAiGateway(plane, network, ai.controller),
      runToEnd(plane, network, envoy.certgen, program),
    ]);
    const envoyGateway = await RunningPod.run(plane, network, envoy.controller, { [CONTAINER]: program });
    await envoyGateway.ready();
    return new Controllers(plane, network, envoy.controller, envoyGateway, aiGateway);
  }

  /** Replaces Envoy Gateway as a Deployment does: the old pod ends when the new one is ready. */
  async upgrade(program: string): Promise<void> {
    this.upgrades += 1;
    const { metadata } = this.manifest;
    const manifest = { ...this.manifest, metadata: { ...metadata, name: `${metadata.name}-${this.upgrades}` } };
    const next = await RunningPod.run(this.plane, this.network, manifest, { [CONTAINER]: program });
    const before = this.envoyGateway;
    this.envoyGateway = next;
    await next.ready();
    await before.terminate();
  }

  /**
   * Stops Envoy Gateway's controller, as `kubectl scale --replicas=0`; `upgrade` starts it again.
   */
  async pause(): Promise<void> {
    await this.envoyGateway.terminate();
  }

  /** Errors in the controllers' logs, latest last. */
  complaints(): string {
    const logs = [this.envoyGateway.output(CONTAINER), this.aiGateway.output("ai-gateway-helm")];
    return logs
      .map((log) =>
        log
          .split("\n")
          .filter((line) => /error/i.test(line))
          .slice(-10)
          .join("\n"),
      )
      .join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all([this.envoyGateway.kill(), this.aiGateway.kill()]);
  }
}

function valuesOf(resources: readonly RecordedResource[], chart: string): Readonly<Record<string, unknown>> {
  const release = resources.find(
    ({ inputs }) =>
      String(inputs.chart ?? "")
        .split("/")
        .at(-1) === chart,
  );
  if (release === undefined) {
    throw new Error(`the environment installs no ${chart}: it has no gateway of its own`);
  }
  return release.inputs.values as Readonly<Record<string, unknown>>;
}

async function startAiGateway(
  plane: ControlPlane,
  network: PodNetwork,
  manifest: KubernetesObject,
): Promise<RunningPod> {
  const programs = { "ai-gateway-helm": requirePart("ai-gateway-controller") };
  const pod = await RunningPod.run(plane, network, manifest, programs);
  const metadata = { name: AI_CONTROLLER, namespace: AI_GATEWAY_NAMESPACE };
  await plane.client.patch({ apiVersion: "v1", kind: "Service", metadata }, { spec: { externalName: pod.address } });
  await pod.ready();
  return pod;
}

async function runToEnd(
  plane: ControlPlane,
  network: PodNetwork,
  manifest: KubernetesObject,
  program: string,
): Promise<void> {
  const pod = await RunningPod.run(plane, network, manifest, { [CONTAINER]: program });
  const ending = await waitFor(`the pod ${manifest.metadata.name} to end`, async () => pod.ending(CONTAINER));
  const output = pod.output(CONTAINER);
  await pod.kill();
  if (ending !== "ended with 0") {
    throw new Error(`the pod ${manifest.metadata.name} in ${manifest.metadata.namespace} ${ending}:\n${output}`);
  }
}
