import { randomBytes } from "node:crypto";
import { Serving } from "../../../components/serving/serving";
import type { StoreKeys } from "../../../components/storage/scripts/credentials.ts";
import type { KubernetesObject } from "../../../kubernetes/object";
import { defaultAnswers } from "../../../offline/answers";
import type { ModelPlan } from "../../../planner/types";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { container, type PodSpec, podTemplate } from "../../components/serving/fixture";
import { modelStore, type StoreOverrides } from "../../components/storage/fixture";
import { type Deployment, deploy, type RecordedResource } from "../../harness/deploy";
import type { LivenessProbe } from "../../harness/kubelet";

const SECRET = "kubernetes:core/v1:Secret";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const PASSWORD = "random:index/randomPassword:RandomPassword";

type Texts = Readonly<Record<string, string>>;
type Volume = PodSpec["volumes"][number];

/** Secrets that cert-manager makes in a cluster: content by key, by the name of the Secret. */
export type IssuedSecrets = Readonly<Record<string, Texts>>;

export interface Mount {
  readonly path: string;
  /** Contents by path below the mount; undefined for a volume that begins empty. */
  readonly files: Texts | undefined;
}

/** A container as the components render it, with the content of the Secrets and ConfigMaps that it mounts. */
export interface RenderedContainer {
  /** Command and arguments. */
  readonly command: readonly string[];
  readonly env: Texts;
  readonly mounts: readonly Mount[];
  /** Where it has one. */
  readonly liveness: LivenessProbe | undefined;
  /** What runs in it before it is told to stop; empty where nothing does. */
  readonly preStop: readonly string[];
}

/** Values of random passwords by their resource's name: what the program's state keeps between deployments. */
export type Passwords = Map<string, string>;

/** What the components render for some models: the store, the Jobs that fill it, and the engines that read it. */
export class RenderedPlatform {
  private constructor(
    private readonly deployment: Deployment,
    private readonly issued: IssuedSecrets,
    /** Keys, names of keys, and passwords. */
    readonly passwords: Passwords,
  ) {}

  static async render(
    models: readonly ModelPlan[],
    huggingFaceToken: string,
    issued: IssuedSecrets,
    passwords: Passwords = new Map(),
    overrides: StoreOverrides = {},
  ): Promise<RenderedPlatform> {
    const state: typeof defaultAnswers.state = (type, name, inputs) => {
      if (type !== PASSWORD) {
        return defaultAnswers.state(type, name, inputs);
      }
      const result = passwords.get(name) ?? randomBytes(Number(inputs.length) / 2).toString("hex");
      passwords.set(name, result);
      return { ...inputs, result };
    };
    const program = () => {
      new Serving("serving", {
        models,
        store: modelStore({ models, huggingFaceToken, ...overrides }),
        cluster: { storageClass: undefined },
        stage: "production",
      });
    };
    const deployment = await deploy(program, { answers: { ...defaultAnswers, state } });
    return new RenderedPlatform(deployment, issued, passwords);
  }

  server(): RenderedContainer {
    return this.container("kubernetes:apps/v1:StatefulSet", "storage-minio-server-statefulset", "minio");
  }

  provisioning(): RenderedContainer {
    return this.container("kubernetes:batch/v1:Job", "storage-setup-provision-job", "mc");
  }

  metrics(): RenderedContainer {
    return this.container("kubernetes:apps/v1:Deployment", "storage-metrics-server-deployment", "store-metrics");
  }

  sync(model: string): RenderedContainer {
    return this.container("kubernetes:batch/v1:Job", `storage-sync-${model}-copy-job`, "sync");
  }

  fetch(model: string): RenderedContainer {
    return this.container("kubernetes:apps/v1:Deployment", `serving-${model}-server-deployment`, "fetch-weights");
  }

  nodeCache(): RenderedContainer {
    return this.container("kubernetes:apps/v1:DaemonSet", "storage-cache-agents", "node-cache");
  }

  syncAdapters(model: string): RenderedContainer {
    return this.container("kubernetes:batch/v1:Job", `storage-sync-${model}-copy-job`, "sync-adapters");
  }

  /** What serves a model: its pod's container of that name. */
  engine(model: string, containerName: string): RenderedContainer {
    return this.container("kubernetes:apps/v1:Deployment", `serving-${model}-server-deployment`, containerName);
  }

  /** The engine's container in one pod of a replica that spans nodes. */
  groupEngine(model: string, role: "leader" | "worker", containerName: string): RenderedContainer {
    const name = `serving-${model}-group`;
    const group = this.deployment.ofKind("LeaderWorkerSet").find((resource) => resource.name === name);
    if (group === undefined) {
      throw new Error(`nothing renders the LeaderWorkerSet ${name}`);
    }
    const { leaderWorkerTemplate } = group.inputs.spec as { readonly leaderWorkerTemplate: Record<string, Template> };
    const pod = leaderWorkerTemplate[`${role}Template`]?.spec;
    if (pod === undefined) {
      throw new Error(`${name} has no template of a ${role}`);
    }
    return this.rendered(group, pod, containerName);
  }

  /** The administrator's keys, which the server reads from its files. */
  rootKeys(): StoreKeys {
    const root = this.deployment.resource(SECRET, "storage-minio-root").inputs.stringData as Texts;
    return { accessKeyId: root.user ?? "", secretAccessKey: root.password ?? "" };
  }

  /** Keys of the user that the provisioning Job makes for a role. */
  keysOf(role: string): StoreKeys {
    const keys = this.deployment.resource(SECRET, "storage-setup-users").inputs.stringData as Texts;
    const [accessKeyId, secretAccessKey] = [keys[`${role}.access-key`], keys[`${role}.secret-key`]];
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw new Error(`no user has the role ${role}`);
    }
    return { accessKeyId, secretAccessKey };
  }

  /** Where a model's sync Job reports what it copied, and its right to do so: to be applied to an API server. */
  pinObjects(model: string): KubernetesObject[] {
    const below = `serving-${model}-weights-manifest-`;
    const { resources } = this.deployment.recording;
    return recordedObjects(
      resources.filter(({ name }) => name.startsWith(below) || name === `storage-sync-${model}-account`),
    );
  }

  /** The cache's account and claims, and its rights in the namespaces of models. */
  cacheObjects(): KubernetesObject[] {
    const { resources } = this.deployment.recording;
    return recordedObjects(
      resources.filter(({ name }) =>
        /^serving-.*-cache-(volume|claim|role|binding)$|^storage-cache-account$/.test(name),
      ),
    );
  }

  private container(type: string, name: string, containerName: string): RenderedContainer {
    const resource = this.deployment.resource(type, name);
    return this.rendered(resource, podTemplate(resource).spec, containerName);
  }

  private rendered({ name, inputs }: RecordedResource, pod: PodSpec, containerName: string): RenderedContainer {
    const { namespace } = inputs.metadata as { readonly namespace: string };
    const { command = [], args = [], env, volumeMounts, livenessProbe, lifecycle } = container(pod, containerName);
    const hooks = lifecycle as
      | { readonly preStop?: { readonly exec?: { readonly command: readonly string[] } } }
      | undefined;
    return {
      command: [...command, ...args],
      env: Object.fromEntries(env.map((variable) => [variable.name, variable.value ?? ""])),
      mounts: volumeMounts.map((mount) => {
        const volume = pod.volumes.find((candidate) => candidate.name === mount.name);
        if (volume === undefined) {
          throw new Error(`${name} has no volume "${mount.name}"`);
        }
        return { path: mount.mountPath, files: this.filesOf(volume, namespace) };
      }),
      liveness: livenessProbe as LivenessProbe | undefined,
      preStop: hooks?.preStop?.exec?.command ?? [],
    };
  }

  /** The files of a Secret's or ConfigMap's volume: those that its items name, else one for each key. */
  private filesOf(volume: Volume, namespace: string): Texts | undefined {
    const secret = volume.secret as { readonly secretName: string; readonly items?: readonly Item[] } | undefined;
    const configMap = volume.configMap as { readonly name: string; readonly items?: readonly Item[] } | undefined;
    if (secret === undefined && configMap === undefined) {
      return undefined;
    }
    const content =
      secret !== undefined
        ? (this.issued[secret.secretName] ?? this.content(SECRET, namespace, secret.secretName))
        : this.content(CONFIG_MAP, namespace, configMap?.name ?? "");
    const items = (secret ?? configMap)?.items ?? Object.keys(content).map((key) => ({ key, path: key }));
    return Object.fromEntries(
      items.map(({ key, path }) => {
        const text = content[key];
        if (text === undefined) {
          throw new Error(`volume "${volume.name}" in ${namespace} has no key "${key}"`);
        }
        return [path, text];
      }),
    );
  }

  private content(type: string, namespace: string, name: string): Texts {
    const found = this.deployment.ofType(type).find(({ inputs }) => {
      const metadata = inputs.metadata as { readonly name: string; readonly namespace: string };
      return metadata.name === name && metadata.namespace === namespace;
    });
    if (found === undefined) {
      throw new Error(`nothing renders ${type} ${namespace}/${name}`);
    }
    return (found.inputs.stringData ?? found.inputs.data ?? {}) as Texts;
  }
}

interface Template {
  readonly spec: PodSpec;
}

interface Item {
  readonly key: string;
  readonly path: string;
}
