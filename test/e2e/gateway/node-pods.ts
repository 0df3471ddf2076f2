/**
 * Nodes of a server group as pods behind the real gateway: an environment's own pods with a real Envoy, and a stand-in in the place of the
 * engine. What kubelet and cluster DNS do with their readiness is done here, from what the nodes say themselves.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { NODE_PORTS } from "../../../components/node/ports";
import { engineOf } from "../../../engines";
import type { KubernetesObject } from "../../../kubernetes/object";
import { modelNamespaceName } from "../../../names/namespaces";
import { repositoryRoot } from "../../../names/repository-root";
import { serviceFqdn } from "../../../names/service-host";
import type { RecordedResource } from "../../../offline/run";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { podOf } from "../../../rehearsal/cluster/gateway/workload";
import type { RunningPod } from "../../../rehearsal/cluster/kubelet/running-pod";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { patchStatus } from "../../../rehearsal/cluster/status";
import { requirePart } from "../../../rehearsal/parts/find";

const ENGINE = "ollama";

interface Container {
  readonly name: string;
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number | string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  /** Written out by the API server. */
  readonly failureThreshold: number;
}

interface PodSpec {
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
}

/** What an engine has been asked. */
export interface SeenChat {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A node that runs, with the engine in it. */
export class NodePod {
  private constructor(
    readonly pod: RunningPod,
    private readonly prober: Prober,
  ) {}

  /**
   * @param resources of an environment with a group of a model on Ollama.
   * @param number of the pod: they are a StatefulSet's.
   */
  static async start(
    stand: GatewayStand,
    resources: readonly RecordedResource[],
    model: string,
    number: number,
  ): Promise<NodePod> {
    const namespace = modelNamespaceName(model);
    const objects = recordedObjects(resources).filter(({ metadata }) => metadata.namespace === namespace);
    const workload = objects.find(({ kind }) => kind === "StatefulSet");
    if (workload === undefined) {
      throw new Error(`the environment has no StatefulSet in ${namespace}`);
    }
    // Of pods on no machine the controller of EndpointSlices knows nothing (k8s.io/endpointslice v0.36, reconciler.go).
    const machine = `machine-${number}`;
    await stand.apply([
      { apiVersion: "v1", kind: "Node", metadata: { name: machine } },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } },
      ...objects.filter(({ kind }) => kind === "ConfigMap" || kind === "ServiceAccount"),
    ]);
    const manifest = standIns(podOf(workload, `${workload.metadata.name}-${number}`), machine);
    const programs = { node: requirePart("envoy"), [ENGINE]: process.execPath, ...IDLE };
    const pod = await stand.runPod(manifest, programs, { joinsServices: false });
    return new NodePod(pod, Prober.start(stand, pod));
  }

  /** What its engine answers on its own path of health from now on. */
  async engineSays(status: number): Promise<void> {
    await ask(this.pod.address, this.enginePort, "/test/health", { method: "PUT", body: String(status) });
  }

  /** Chats that its engine got. */
  async seen(): Promise<readonly SeenChat[]> {
    const { text } = await ask(this.pod.address, this.enginePort, "/test/seen");
    return JSON.parse(text) as SeenChat[];
  }

  /** When it became ready or stopped being it, as the API server was told; the last one is how it is. */
  get readiness(): readonly Readiness[] {
    return this.prober.said;
  }

  async stop(): Promise<void> {
    await this.prober.stop();
  }

  private readonly enginePort = engineOf(ENGINE).ports.openai ?? 0;
}

/** Of containers that have nothing to do here: what fetches weights. */
const LOADER = "loader";
const IDLE = { [LOADER]: "/bin/sleep" } as const;

/** The pod with stand-ins for what takes weights or volumes; the node's own container stays as it is. */
function standIns(pod: KubernetesObject, nodeName: string): KubernetesObject {
  const { initContainers, containers, volumes = [], ...spec } = pod.spec as unknown as PodSpec;
  const { ports, health } = engineOf(ENGINE);
  const script = readFileSync(join(repositoryRoot(), "test/e2e/gateway/pod-engine.mjs"), "utf8");
  const args = ["--input-type=module", "-e", script, String(ports.openai), health.ready];
  const played = (container: Container) =>
    container.name === "node"
      ? container
      : {
          ...container,
          volumeMounts: [],
          command: [container.name],
          args: container.name === ENGINE ? args : ["infinity"],
        };
  const nodes = initContainers.filter(({ name }) => name === "node");
  const mounted = nodes.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  return {
    ...pod,
    spec: {
      ...spec,
      nodeName,
      initContainers: initContainers.map(played),
      containers: containers.map(played),
      volumes: volumes.filter(({ name }) => mounted.includes(name)),
    },
  };
}

export interface Readiness {
  readonly ready: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Asks the node's own readiness probe as a kubelet does, with the period and the threshold of the pod, and tells the API server. */
class Prober {
  readonly said: Readiness[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  private constructor(
    private readonly stand: GatewayStand,
    private readonly pod: RunningPod,
    private readonly probe: Probe,
  ) {
    this.running = this.run();
  }

  static start(stand: GatewayStand, pod: RunningPod): Prober {
    const { initContainers } = pod.pod.spec as unknown as PodSpec;
    const probe = initContainers.find(({ name }) => name === "node")?.readinessProbe;
    if (probe === undefined) {
      throw new Error("the pod's container node has no readiness probe");
    }
    return new Prober(stand, pod, probe);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopped) {
      failures = (await this.passes()) ? 0 : failures + 1;
      const is = this.said.at(-1)?.ready ?? false;
      if (failures === 0 && !is) {
        await this.say(true);
      } else if (failures >= this.probe.failureThreshold && is) {
        await this.say(false);
      }
      await sleep(this.probe.periodSeconds * 1000);
    }
  }

  private async passes(): Promise<boolean> {
    // Named: the port is the node's.
    const status = await ask(this.pod.address, NODE_PORTS.http, this.probe.httpGet.path, {
      seconds: this.probe.timeoutSeconds,
    })
      .then((answer) => answer.status)
      .catch(() => 0);
    return status >= 200 && status < 400;
  }

  private async say(ready: boolean): Promise<void> {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    await patchStatus(this.stand.client, this.pod.pod, { phase: "Running", podIP: this.pod.address, conditions });
    this.said.push({ ready, at: Date.now() });
  }
}

/** Of a headless Service's name: the addresses that its EndpointSlices call ready, as a cluster's DNS answers. */
export class HeadlessName {
  addresses: readonly string[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  private constructor(
    private readonly stand: GatewayStand,
    private readonly service: string,
    private readonly namespace: string,
  ) {
    this.running = this.run();
  }

  static follow(stand: GatewayStand, service: string, namespace: string): HeadlessName {
    return new HeadlessName(stand, service, namespace);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const slices = (await this.stand.client.list("discovery.k8s.io/v1", "EndpointSlice")).filter(
        ({ metadata }) =>
          metadata.namespace === this.namespace && metadata.labels?.["kubernetes.io/service-name"] === this.service,
      ) as unknown as readonly Slice[];
      this.addresses = slices
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready === true)
        .flatMap(({ addresses }) => addresses);
      this.stand.resolve(serviceFqdn(this.service, this.namespace), this.addresses);
      await sleep(250);
    }
  }
}

interface Slice {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  }[];
}

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly seconds?: number;
}

async function ask(host: string, port: number, path: string, { method = "GET", body, seconds = 5 }: Asked = {}) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const signal = AbortSignal.timeout(seconds * 1000);
    request({ host, port, path, method, agent: false, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    })
      .once("error", reject)
      .end(body);
  });
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
