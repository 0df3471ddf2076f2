/** A rendered model on Ray Serve, run by the real operator, the real Ray and a real Redis in pods of this machine. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { ServeConfig } from "../../../components/serving/ray-serve-config";
import type { IRayService } from "../../../components/serving/ray-service-resource";
import { TRUST_SECRET } from "../../../components/storage/store-certificates";
import type { KubernetesObject } from "../../../kubernetes/object";
import { installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { podOf } from "../../../rehearsal/cluster/gateway/workload";
import type { NameServer } from "../../../rehearsal/cluster/kubelet/name-server";
import { PodNetwork } from "../../../rehearsal/cluster/kubelet/network";
import { podSpec } from "../../../rehearsal/cluster/kubelet/pod-spec";
import { RunningPod } from "../../../rehearsal/cluster/kubelet/running-pod";
import { runRayOperator } from "../../../rehearsal/cluster/ray-operator";
import { kindsOf } from "../../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";

/** What the pods need of an environment, besides the model itself. Who may speak to whom, and quotas, are not tried here. */
const KINDS = ["ServiceAccount", "Secret", "ConfigMap", "Service", "StatefulSet"];
const STAND_IN = "stand-in";
const STATE = "ray-state";
export const ROLE = "inference-stacks.io/role";
const PORTS = { serve: 8000, dashboard: 8265 };

/** A function that bash takes from its environment. Ray looks for its address by the way out of a network, which there is none of here. */
const RAY = `() { ${requirePart("ray-python")} -m ray.scripts.scripts "$@" --node-ip-address="$POD_IP"; }`;

type RayService = KubernetesObject & Required<Pick<IRayService, "spec">>;

export class RayStand {
  private constructor(
    readonly plane: ControlPlane,
    private readonly network: PodNetwork,
    private readonly operatorsWay: Server,
    private readonly service: RayService,
  ) {}

  /** Hands the model to the operator. No pod runs yet. */
  static async start(objects: readonly KubernetesObject[]): Promise<RayStand> {
    const network = await PodNetwork.start();
    const plane = await ControlPlane.start({ address: network.address });
    const rendered = objects.find(({ kind }) => kind === "RayService") as RayService | undefined;
    if (rendered === undefined) {
      throw new Error("the environment has no model on Ray Serve");
    }
    const service = withStandIn(rendered);
    const { namespace = "" } = service.metadata;
    const proxy = operatorsWay(network.names);
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    const stand = new RayStand(plane, network, proxy, service);
    await installChartCrds(plane.client, "kuberay-operator", kindsOf([service]));
    await runRayOperator(plane, { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as { port: number }).port}` });
    const first = objects.filter(
      ({ kind, metadata }) => kind === "PriorityClass" || (kind === "Namespace" && metadata.name === namespace),
    );
    const rest = objects.filter(
      ({ apiVersion, kind, metadata }) =>
        metadata.namespace === namespace && /^(apps\/)?v1$/.test(apiVersion) && KINDS.includes(kind),
    );
    const files = { "stand_in.py": readFileSync(join(import.meta.dirname, "stand_in.py"), "utf8") };
    const standIn = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: STAND_IN }, data: files };
    // The authority of the model store, which is not asked here: cert-manager makes it.
    const authority = {
      ...standIn,
      kind: "Secret",
      metadata: { namespace, name: TRUST_SECRET },
      data: { "ca.crt": "" },
    };
    for (const group of [first, [...rest, standIn, authority], [service]]) {
      await Promise.all(group.map((object) => plane.client.apply(object)));
    }
    return stand;
  }

  /** Runs the Valkey of the cluster's state. */
  async runState(): Promise<RunningPod> {
    const metadata = { namespace: this.namespace, name: STATE };
    const set = await this.plane.client.get({ apiVersion: "apps/v1", kind: "StatefulSet", metadata });
    if (set === undefined) {
      throw new Error(`there is no StatefulSet ${STATE}`);
    }
    const pod = podOf(set, `${STATE}-0`) as KubernetesObject & { readonly spec: { readonly volumes: object[] } };
    const volumes = [...pod.spec.volumes, { name: "data", emptyDir: {} }];
    return this.run({ ...pod, spec: { ...pod.spec, volumes } } as KubernetesObject);
  }

  /** Waits until the operator has made so many pods of a role that do not run yet, and runs them. */
  async runRole(role: "head" | "worker", count: number): Promise<RunningPod[]> {
    const made = await waitFor(`${count} pods of the role ${role}`, async () => {
      const pods = (await this.plane.client.list("v1", "Pod")).filter(
        ({ metadata, status }) =>
          metadata.namespace === this.namespace &&
          metadata.labels?.[ROLE] === role &&
          (status as { readonly phase?: string }).phase !== "Running",
      );
      return pods.length === count ? pods : undefined;
    });
    return Promise.all(made.map((pod) => this.run(manifestOf(pod))));
  }

  /** Runs the operator's next head, and another one after it where it ends: Ray gives up after 30 seconds on a busy machine. */
  async runHead(attempts = 3): Promise<RunningPod> {
    const [head] = (await this.runRole("head", 1)) as [RunningPod];
    try {
      await head.ready(180);
      return head;
    } catch (error) {
      if (attempts === 1) {
        throw error;
      }
      await head.kill();
      return this.runHead(attempts - 1);
    }
  }

  /** What Serve says of the applications, by their names: `RUNNING` and others. Undefined while nobody answers. */
  async applications(head: RunningPod): Promise<Readonly<Record<string, string>> | undefined> {
    const { body } = (await get(head.address, PORTS.dashboard, "/api/serve/applications/")) ?? {};
    const said = JSON.parse(body ?? "{}") as { applications?: Record<string, { status: string }> };
    return said.applications && Object.fromEntries(Object.entries(said.applications).map(([k, v]) => [k, v.status]));
  }

  async stop(): Promise<void> {
    this.operatorsWay.close();
    this.operatorsWay.closeAllConnections();
    await this.plane.stop();
    await this.network.stop();
  }

  /** What is sent to it and what it sends is lost from now on, and then its processes are. The operator is told. */
  async lose(pod: RunningPod): Promise<void> {
    await this.network.cut(pod.address);
    await pod.kill();
  }

  private get namespace(): string {
    return this.service.metadata.namespace ?? "";
  }

  private run(manifest: KubernetesObject): Promise<RunningPod> {
    const { initContainers } = podSpec.parse(manifest.spec);
    return RunningPod.run(this.plane, this.network, manifest, {
      // Weights, and waiting for the head, which `ray start` does too.
      ...Object.fromEntries(initContainers.map(({ name }) => [name, "/bin/true"])),
      [STATE]: requirePart("redis-server"),
      "ray-head": "/bin/bash",
      "ray-worker": "/bin/bash",
    });
  }
}

/** What a replica answers, and undefined where none answers with status 200. */
export async function answerOf(worker: RunningPod): Promise<string | undefined> {
  const answer = await get(worker.address, PORTS.serve, "/v1/models");
  return answer?.status === 200 ? answer.body : undefined;
}

/** As rendered, but for the application, and for `ray`, which the image has on its PATH. */
function withStandIn(service: RayService): RayService {
  const { spec } = service;
  const { rayClusterConfig: cluster } = spec;
  const config = JSON.parse(spec.serveConfigV2) as ServeConfig;
  const applications = config.applications.map((each) => ({ ...each, import_path: "stand_in:build_openai_app" }));
  const withFiles = <T extends { readonly template: object }>(group: T): T => {
    const { metadata, spec: pod } = group.template as { metadata: object; spec: PodTemplate };
    const containers = pod.containers.map((container) => ({
      ...container,
      env: [
        ...(container.env ?? []),
        { name: "PYTHONPATH", value: "/stand-in" },
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "BASH_FUNC_ray%%", value: RAY },
      ],
      volumeMounts: [...(container.volumeMounts ?? []), { name: STAND_IN, mountPath: "/stand-in" }],
    }));
    const volumes = [...(pod.volumes ?? []), { name: STAND_IN, configMap: { name: STAND_IN } }];
    return { ...group, template: { metadata, spec: { ...pod, containers, volumes } } };
  };
  return {
    ...service,
    spec: {
      ...spec,
      serveConfigV2: JSON.stringify({ ...config, applications }),
      rayClusterConfig: {
        ...cluster,
        headGroupSpec: withFiles(cluster.headGroupSpec),
        workerGroupSpecs: cluster.workerGroupSpecs.map(withFiles),
      },
    },
  };
}

interface PodTemplate {
  readonly containers: readonly { readonly env?: readonly object[]; readonly volumeMounts?: readonly object[] }[];
  readonly volumes?: readonly object[];
}

/** A pod of the operator without what the API server added. */
function manifestOf({ apiVersion, kind, metadata, spec }: KubernetesObject): KubernetesObject {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec } as KubernetesObject;
}

/** The operator's proxy to the dashboard: it knows the names of pods. */
function operatorsWay(names: NameServer): Server {
  return createServer((asked: IncomingMessage, answer: ServerResponse) => {
    const { hostname, port, pathname, search } = new URL(asked.url ?? "");
    const [host] = names.addresses(hostname);
    const { method, headers } = asked;
    if (host === undefined) {
      answer.writeHead(502).end();
      return;
    }
    const passedOn = request({ host, port, method, headers, path: `${pathname}${search}` }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passedOn.on("error", () => answer.destroy());
    asked.pipe(passedOn);
  });
}

function get(host: string, port: number, path: string): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const asked = request({ host, port, path, timeout: 5000, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.once("error", () => resolve(undefined));
    });
    asked.once("timeout", () => asked.destroy(new Error("no answer")));
    asked.once("error", () => resolve(undefined));
    asked.end();
  });
}
