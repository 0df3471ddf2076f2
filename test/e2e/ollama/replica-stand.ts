import { execFileSync } from "node:child_process";
import { PRIORITY } from "../../../components/core/priority-classes";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ModelPlan } from "../../../planner/types";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { deployServing } from "../../components/serving/fixture";
import { type Registry, startRegistry } from "../model-control/registry";
import { startTlsProxy } from "../model-control/registry/tls-proxy";
import { ReplicaPod } from "./replica-pod";

/** Of the model that the plans of the harness serve on Ollama, and its objects that the control plane is given. */
const NAMESPACE = "model-llama-3b";
const SET = "model-llama-3b";
const KINDS = ["Namespace", "ServiceAccount", "ConfigMap", "Service", "StatefulSet", "ResourceQuota"];
const SECONDS = 120;

/** Publishes a model of this size in the stand's registry; its source as plans have it. */
type Publish = (name: string, gguf?: Buffer) => ModelPlan["source"];

/** A planned Ollama server on a real control plane, and a registry for it. */
export class ReplicaStand {
  private started: ReplicaPod | undefined;

  private constructor(
    private readonly plane: ControlPlane,
    readonly registry: Registry,
    private readonly proxy: Awaited<ReturnType<typeof startTlsProxy>>,
  ) {}

  /** @param plans the models of one server, two replicas of it. */
  static async start(plans: (publish: Publish) => readonly ModelPlan[]): Promise<ReplicaStand> {
    const [plane, registry] = await Promise.all([ControlPlane.start({ controllers: true }), startRegistry()]);
    // Ollama takes models from registries with TLS only.
    const proxy = await startTlsProxy(`http://${registry.host}`, plane.folder);
    const stand = new ReplicaStand(plane, registry, proxy);
    try {
      await stand.deploy(plans);
    } catch (error) {
      await stand.stop();
      throw error;
    }
    return stand;
  }

  private async deploy(plans: (publish: Publish) => readonly ModelPlan[]): Promise<void> {
    const { plane, registry, proxy } = this;
    const models = plans((name, gguf) => ({
      kind: "ollama",
      tag: registry.publish(name, gguf).replace(registry.host, new URL(proxy.url).host),
    }));
    const { deployment } = await deployServing(models);
    await plane.client.apply({
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: PRIORITY.serving.name },
      value: PRIORITY.serving.value,
    } as KubernetesObject);
    const objects = recordedObjects(deployment.recording.resources).filter(({ kind }) => KINDS.includes(kind));
    for (const object of objects) {
      await plane.client.apply(object);
    }
  }

  /** The replica that nobody planned, once there is one. */
  get pod(): ReplicaPod {
    if (this.started === undefined) {
      throw new Error("there is no third replica yet");
    }
    return this.started;
  }

  /** Makes a third replica with `kubectl scale`, and runs its pod as a kubelet would. */
  async addReplica(): Promise<void> {
    const scale = ["scale", `statefulset/${SET}`, "--replicas=3", "--namespace", NAMESPACE];
    execFileSync(requirePart("kubectl"), ["--kubeconfig", this.plane.kubeconfig, ...scale]);
    const third = await waitFor("the third pod", () =>
      this.plane.client.get({ apiVersion: "v1", kind: "Pod", metadata: { name: `${SET}-2`, namespace: NAMESPACE } }),
    );
    const ready = await this.readyReplicas();
    if (ready !== 0) {
      throw new Error(`${ready} replicas are ready, and none runs`);
    }
    this.started = await ReplicaPod.start(this.plane.client, third, this.proxy.authority);
  }

  becomes(count: number): Promise<true> {
    const reached = async () => ((await this.readyReplicas()) === count ? true : undefined);
    return waitFor(`${count} ready replicas`, reached, SECONDS);
  }

  async answer(model: string): Promise<unknown> {
    const body = JSON.stringify({ model, prompt: "hello", max_tokens: 3, seed: 1 });
    const headers = { "Content-Type": "application/json" };
    return (await fetch(`${this.pod.url}/v1/completions`, { method: "POST", body, headers })).json();
  }

  async stop(): Promise<void> {
    await this.started?.stop();
    await Promise.all([this.proxy.stop(), this.registry.stop(), this.plane.stop()]);
  }

  private async readyReplicas(): Promise<number> {
    const set = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: SET, namespace: NAMESPACE } };
    const { status } = (await this.plane.client.get(set as KubernetesObject)) as {
      status?: { readyReplicas?: number };
    };
    return status?.readyReplicas ?? 0;
  }
}
