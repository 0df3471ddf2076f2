/**
 * Integration testbed of the gateway: API server, Envoy Gateway, AI gateway and real Envoys,
 * configured by an environment's objects. Tests provide the backends.
 *
 * ```ts
 * const testbed = sharedBySuite(async () => GatewayStand.start((await programRun("dev")).resources));
 * await testbed().serve("assistant", (request, response) => response.end("{}")); // the model's Service
 * const answer = await testbed().request({ path: "/v1/models", consumer: "default" });
 * const [first] = testbed().proxies;
 * first.accessLog(); await first.stats("upstream_rq_total"); await first.stop();
 * ```
 *
 * To start other workloads before the proxies:
 *
 * ```ts
 * const testbed = await GatewayStand.start(resources, { proxies: 0 });
 * const programs = { store: requirePart("redis-server") };
 * await testbed.runWorkload("StatefulSet", GATEWAY_NAMESPACE, "store", programs);
 * await testbed.startRateLimit();
 * await testbed.startProxy();
 * ```
 *
 * Requires root and Linux namespaces (kubelet/network.ts). Several can run in parallel.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import { groupOf, type KubernetesObject } from "../../../kubernetes/object";
import { ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { RecordedResource } from "../../../offline/run";
import { requirePart } from "../../parts/find";
import type { ApiClient } from "../api-client";
import { Authority } from "../authority";
import { installChartCrds } from "../chart-crds";
import { ControlPlane } from "../control-plane";
import { PodNetwork } from "../kubelet/network";
import type { Programs } from "../kubelet/pod-containers";
import { type PodOptions, RunningPod } from "../kubelet/running-pod";
import { recordedObjects } from "../recorded-objects";
import { waitFor } from "../wait";
import { type Condition, conditionsOf } from "./conditions";
import { Controllers, type ExistingGateway } from "./controllers";
import { applyGateway, endpointsOf, GATEWAY_GROUPS, gatewayObjects, serveRoutedServices } from "./objects";
import { type GatewayPrograms, Proxies } from "./proxies";
import type { GatewayProxy } from "./proxy";
import { type GatewayAnswer, type GatewayRequest, sendRequest } from "./request";
import { type StandIn, StandIns } from "./stand-ins";
import { podOf } from "./workload";

export interface StandOptions {
  /** Initial number of Envoys; 0 to start other workloads first. @default 1 */
  readonly proxies?: number;
  /** Controllers of kube-controller-manager to run. @default none */
  readonly controllers?: readonly string[];
  /** The user's Envoy Gateway. @default the environment's release */
  readonly existing?: ExistingGateway;
  /** Objects that the cluster has before. @default none */
  readonly before?: readonly KubernetesObject[];
  /** @default the installed test programs */
  readonly programs?: GatewayPrograms;
}

/** The controllers watch all their kinds, including unused ones. */
const CHARTS_WITH_KINDS = ["gateway-helm", "ai-gateway-crds-helm"];

export class GatewayStand {
  private readonly envoys: Proxies;
  private readonly standIns: StandIns;
  private readonly workloads: RunningPod[] = [];

  private constructor(
    private readonly plane: ControlPlane,
    private readonly network: PodNetwork,
    private readonly authority: Authority,
    private readonly controllers: Controllers,
    /** Initially applied objects. */
    readonly objects: readonly KubernetesObject[],
    programs: GatewayPrograms,
  ) {
    this.envoys = new Proxies(plane, network, programs);
    this.standIns = new StandIns(network);
  }

  /**
   * @param resources registered by an environment's program (`programRun`, `changedRun`, a
   *   `Deployment`'s recording)
   * @throws Error with the log of what failed to start.
   */
  static async start(
    resources: readonly RecordedResource[],
    { proxies = 1, controllers: manager, existing, before = [], ...given }: StandOptions = {},
  ): Promise<GatewayStand> {
    const programs = given.programs ?? { envoyGateway: requirePart("envoy-gateway"), envoy: requirePart("envoy") };
    const network = await PodNetwork.start();
    const authority = new Authority();
    let plane: ControlPlane | undefined;
    let stand: GatewayStand | undefined;
    try {
      plane = await ControlPlane.start({ address: network.address, ...(manager && { controllers: manager }) });
      const { client } = plane;
      network.names.set("kubernetes.default.svc.cluster.local", [network.address]);
      const objects = gatewayObjects(recordedObjects(resources), authority);
      await Promise.all(CHARTS_WITH_KINDS.map((chart) => installChartCrds(client, chart)));
      await applyGateway(client, [...before, ...objects]);
      await serveRoutedServices(client, network, objects);
      const controllers = await Controllers.start(
        plane,
        network,
        authority,
        resources,
        programs.envoyGateway,
        existing,
      );
      stand = new GatewayStand(plane, network, authority, controllers, objects, programs);
      await stand.standIns.reserve(objects.flatMap(endpointsOf).map(({ hostname }) => hostname));
      for (let count = 0; count < proxies; count += 1) {
        await stand.startProxy();
      }
      return stand;
    } catch (error) {
      await (stand?.stop() ?? Promise.all([plane?.stop(), network.stop(), authority.discard()]));
      throw error;
    }
  }

  get client(): ApiClient {
    return this.plane.client;
  }

  /** Kubeconfig of a cluster administrator, for kubectl. */
  get kubeconfig(): string {
    return this.plane.kubeconfig;
  }

  /** PEM of the authority for the Gateway's certificates. */
  get ca(): string {
    return this.authority.certificate;
  }

  /** In start order, including stopped ones. */
  get proxies(): readonly GatewayProxy[] {
    return this.envoys.all;
  }

  /** Hostname of the models' endpoint. */
  get hostname(): string {
    // Other Gateways are waypoints of the mesh.
    const gateway = this.objects.find(
      ({ kind, metadata }) => kind === "Gateway" && metadata.namespace === GATEWAY_NAMESPACE,
    );
    const { listeners = [] } = (gateway?.spec ?? {}) as {
      readonly listeners?: readonly { readonly hostname?: string }[];
    };
    return listeners.find(({ hostname }) => hostname !== undefined)?.hostname ?? "";
  }

  /** Applies objects as an administrator; reserves addresses for new backends. */
  async apply(objects: readonly KubernetesObject[]): Promise<void> {
    await this.standIns.reserve(objects.flatMap(endpointsOf).map(({ hostname }) => hostname));
    for (const object of objects) {
      await this.client.apply(object);
    }
  }

  async key(consumer: string): Promise<string> {
    const metadata = { name: `consumer-${consumer}`, namespace: GATEWAY_NAMESPACE };
    const secret = await this.client.get({ apiVersion: "v1", kind: "Secret", metadata });
    const data = (secret?.data ?? {}) as Readonly<Record<string, string>>;
    const key = data[consumer];
    if (key === undefined) {
      throw new Error(`there is no Secret ${metadata.namespace}/${metadata.name} with the key "${consumer}"`);
    }
    return Buffer.from(key, "base64").toString("utf8");
  }

  /** Conditions of all objects of the controllers' kinds. */
  async conditions(): Promise<Condition[]> {
    const objects = await Promise.all(
      this.objects
        .filter(({ apiVersion }) => GATEWAY_GROUPS.includes(groupOf(apiVersion)))
        .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
        .filter((each, index, all) => all.indexOf(each) === index)
        .map((each) => each.split(" ") as [string, string])
        .map(([apiVersion, kind]) => this.client.list(apiVersion, kind)),
    );
    return objects.flat().flatMap(conditionsOf);
  }

  /** Starts another Envoy; waits until it is ready. */
  async startProxy(): Promise<GatewayProxy> {
    return this.told(this.envoys.start());
  }

  /** Stops Envoy Gateway's controller until `upgrade`; proxies keep their configuration. */
  async pauseController(): Promise<void> {
    await this.controllers.pause();
  }

  /** Upgrades the controller while proxies run; later proxies use the new programs. */
  async upgrade(programs: GatewayPrograms): Promise<void> {
    this.envoys.programs = programs;
    await this.told(this.controllers.upgrade(programs.envoyGateway));
  }

  /** Starts Envoy's rate limit service from its Deployment, which requires a configured store. */
  async startRateLimit(): Promise<RunningPod> {
    return this.runWorkload("Deployment", ENVOY_GATEWAY_NAMESPACE, "envoy-ratelimit", {
      "envoy-ratelimit": requirePart("ratelimit"),
    });
  }

  /**
   * Runs a pod of a present or expected Deployment or StatefulSet, reachable by its Services'
   * names. Start it before proxies that resolve them.
   *
   * @param programs by container name
   */
  async runWorkload(
    kind: "Deployment" | "StatefulSet",
    namespace: string,
    name: string,
    programs: Programs,
  ): Promise<RunningPod> {
    const metadata = { namespace, name };
    const workload = await this.told(
      waitFor(`${kind} ${namespace}/${name}`, () => this.client.get({ apiVersion: "apps/v1", kind, metadata })),
    );
    const manifest = podOf(workload, `${name}-${this.workloads.length}`);
    const pod = await this.runPod(manifest, programs);
    await pod.ready();
    return pod;
  }

  /** Starts a pod from a manifest. See `RunningPod.run`. */
  async runPod(manifest: KubernetesObject, programs: Programs, options: PodOptions = {}): Promise<RunningPod> {
    const pod = await RunningPod.run(this.plane, this.network, manifest, programs, options);
    this.workloads.push(pod);
    return pod;
  }

  /** Sets the addresses of a hostname, as cluster DNS does from EndpointSlices. */
  resolve(hostname: string, addresses: readonly string[]): void {
    this.network.names.set(hostname, addresses);
  }

  get namesAsked(): ReadonlySet<string> {
    return new Set(this.network.names.asked);
  }

  /** Serves a backend of the Gateway, by the name of its `Backend` object. */
  async serve(backend: string, listener: RequestListener): Promise<StandIn> {
    const metadata = { name: backend, namespace: GATEWAY_NAMESPACE };
    const found = await this.client.get({ apiVersion: "gateway.envoyproxy.io/v1alpha1", kind: "Backend", metadata });
    const [first] = found === undefined ? [] : endpointsOf(found);
    if (first === undefined) {
      const all = this.objects.filter(({ kind }) => kind === "Backend").map(({ metadata: { name } }) => name);
      throw new Error(`no Backend "${backend}" with a hostname; there are: ${all.join(", ")}`);
    }
    return this.listen(first.hostname, first.port, createServer(listener));
  }

  /** Serves a hostname at a new address; a name may have several. */
  async listen(hostname: string, port: number, server: Server): Promise<StandIn> {
    return this.standIns.listen(hostname, port, server);
  }

  /** Sends a request to a proxy, by default the first. */
  async request(request: GatewayRequest): Promise<GatewayAnswer> {
    const [first] = this.proxies;
    const proxy = request.proxy ?? first;
    if (proxy === undefined) {
      throw new Error("the testbed has no proxy: startProxy() starts one");
    }
    const key = request.consumer === undefined ? undefined : await this.key(request.consumer);
    return sendRequest({ ...request, proxy }, { hostname: this.hostname, ca: this.ca, key });
  }

  async stop(): Promise<void> {
    await this.standIns.closeAll();
    await Promise.all([this.envoys.kill(), ...this.workloads.map((pod) => pod.kill()), this.controllers.stop()]);
    await this.plane.stop();
    await this.network.stop();
    this.authority.discard();
  }

  /** Adds the controllers' errors, which usually state the cause. */
  private async told<T>(promise: Promise<T>): Promise<T> {
    return promise.catch((error: Error) => {
      throw new Error(`${error.message}\n${this.controllers.complaints()}`);
    });
  }
}
