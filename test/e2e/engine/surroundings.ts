import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../../kubernetes/object";
import { repositoryRoot } from "../../../names/repository-root";
import { type EnvironmentRun, runEnvironment } from "../../../offline/environment";
import { installChartCrds } from "../../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { addRuntimeClass, addStorage, nodesOf, runNodes } from "../../../rehearsal/cluster/existing-parts";
import { runGroupController } from "../../../rehearsal/cluster/lws-manager";
import { foreignNamespacesOf, kindsOf, recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { gateJobsOf, PlayedGates } from "../../../rehearsal/fabric-gate";
import type { EnvironmentName } from "../../stacks/run";
import { plannedHardware } from "../edge/machine/hardware";
import { Machine, type MachineOptions } from "../edge/machine/machine";
import { engineVariables } from "./engine-variables";
import type { EnvironmentFile } from "./environment-file";
import { startProvider } from "./provider-process";
import { CloudStore } from "./providers/cloud/store";

/** What a command over SSH is. */
const REMOTE_COMMAND = "command:remote:Command";

/** Clouds that are played, by the name of their provider. */
const CLOUDS = ["aws", "oci"] as const;

/** How the cloud behaves in which a program makes its cluster. */
export interface CloudBehaviour {
  /** Milliseconds that it takes for what, by the type's token. */
  readonly delays?: Readonly<Record<string, Partial<Record<"create" | "update" | "delete", number>>>>;
  /** How long a load balancer takes to go. @default 0 */
  readonly loadBalancerRemovalMs?: number;
  /** Address of the Kubernetes API as the cluster tells it. @default where it is */
  readonly endpoint?: string;
  /** The machine that a program installs over SSH. */
  readonly machine?: MachineOptions;
}

/**
 * What an environment's program meets when it runs: providers, a backend, and a cluster. One that exists has the nodes of the
 * plan; one that the program makes in a cloud is the same API server, and has a node once the cloud was asked for it.
 */
export class Surroundings {
  private constructor(
    readonly plane: ControlPlane,
    /** The same program on recorded providers. */
    readonly offline: EnvironmentRun,
    /** Folder of the file backend. */
    readonly backend: string,
    /** What the engine runs with. */
    readonly env: Readonly<Record<string, string>>,
    private readonly ofProvider: Readonly<Record<string, string>>,
    /** What there is in the cloud; empty where the program makes no cluster. */
    readonly cloud: CloudStore,
    private readonly gates: PlayedGates,
    /** The environment's file, with the address and the keys of the machine where it makes its cluster on one. */
    readonly file: EnvironmentFile,
    private readonly installed: Machine | undefined,
  ) {}

  /**
   * The machine that the program installs over SSH.
   *
   * @throws Error where it installs none.
   */
  get machine(): Machine {
    if (this.installed === undefined) {
      throw new Error("this environment installs no machine");
    }
    return this.installed;
  }

  /** @throws Error that names the command which installs a missing part. */
  static async start(
    name: EnvironmentName,
    file: EnvironmentFile,
    behaviour: CloudBehaviour = {},
  ): Promise<Surroundings> {
    const offline = await runEnvironment({ name, file, baseDirectory: repositoryRoot() });
    const isInstalled = offline.recording.resources.some(({ type }) => type === REMOTE_COMMAND);
    const machine = isInstalled ? await Machine.start(asPlanned(offline, behaviour.machine)) : undefined;
    const address = machine && { address: machine.network.address };
    const plane = await ControlPlane.start({ controllers: true, ...address }).catch(async (error: unknown) => {
      await machine?.stop();
      throw error;
    });
    try {
      const backend = join(plane.folder, "backend");
      mkdirSync(backend);
      const objects = recordedObjects(offline.recording.resources);
      await addRuntimeClass(plane.client, file.environment);
      await addStorage(plane.client, objects);
      const cloud = CLOUDS.find((name) => offline.recording.resources.some(({ type }) => type.startsWith(`${name}:`)));
      await runNodes(plane, cloud === undefined && machine === undefined ? nodesOf(offline.plan) : []);
      machine?.join(plane, ownNode(offline));
      await runControllers(plane, objects);
      await addAddons(plane, objects);
      const ofProvider = { KUBECONFIG: plane.kubeconfig, E2E_KINDS: [...kindsOf(objects)].join(",") };
      const hasCertificates = offline.recording.resources.some(({ type }) => type.startsWith("tls:"));
      const [kubernetes, random, command, tls, played] = await Promise.all([
        startProvider(plane, "kubernetes", ofProvider),
        startProvider(plane, "random"),
        machine && startProvider(plane, "command", { SSH_AUTH_SOCK: "" }),
        hasCertificates && startProvider(plane, "tls"),
        ...(cloud === undefined ? [] : [startProvider(plane, cloud, ofCloud(plane, behaviour))]),
      ]);
      const home = join(plane.folder, "pulumi-home");
      const env = {
        ...engineVariables({
          home,
          backend,
          ports: {
            kubernetes,
            random,
            ...(command && { command }),
            ...(tls && { tls }),
            ...(cloud && played && { [cloud]: played }),
          },
        }),
        KUBECONFIG: plane.kubeconfig,
      };
      const gates = new PlayedGates(plane.client, gateJobsOf(objects, offline.plan), offline.plan);
      const own = machine === undefined ? file : onMachine(file, machine);
      return new Surroundings(
        plane,
        offline,
        backend,
        env,
        ofProvider,
        new CloudStore(plane.folder),
        gates,
        own,
        machine,
      );
    } catch (error) {
      await machine?.stop();
      await plane.stop();
      throw error;
    }
  }

  /**
   * What the engine runs with when an operator sets more variables. A provider that the engine starts inherits them;
   * the ones here are started beforehand, so this starts a `kubernetes` provider with them.
   */
  async envWith(variables: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const port = await startProvider(this.plane, "kubernetes", { ...this.ofProvider, ...variables });
    const providers = this.env.PULUMI_DEBUG_PROVIDERS?.replace(/kubernetes:\d+/, `kubernetes:${port}`) ?? "";
    return { ...this.env, ...variables, PULUMI_DEBUG_PROVIDERS: providers };
  }

  async stop(): Promise<void> {
    await this.gates.stop();
    await this.installed?.stop();
    await this.plane.stop();
  }
}

/** A machine with the hardware that the plan asks for, and what a test gives it. */
function asPlanned({ plan }: EnvironmentRun, options: MachineOptions = {}): MachineOptions {
  return { ...options, files: { ...plannedHardware(plan), ...options.files } };
}

/** The environment's file for this machine: where it is, how it proves itself, and what logs in. */
function onMachine(file: EnvironmentFile, { address, keys, user, secrets }: Machine): EnvironmentFile {
  const key = "inference-stacks:cluster";
  const cluster = file.environment.cluster;
  const section = JSON.parse(file.config[key] ?? "{}") as { readonly hosts?: Readonly<Record<string, object>> };
  if (cluster.kind !== "edge" || section.hosts === undefined) {
    throw new Error("the environment's file has no cluster.hosts");
  }
  const hosts = Object.entries(section.hosts).map(([name, host]) => [
    name,
    { ...host, address, user, hostKey: keys.hostKey },
  ]);
  const opening = {
    "inference-stacks:sshPrivateKey": keys.privateKey,
    ...(secrets.passphrase && { "inference-stacks:sshPrivateKeyPassphrase": secrets.passphrase }),
    ...(secrets.password && { "inference-stacks:sshPassword": secrets.password }),
  };
  return {
    ...file,
    config: {
      ...file.config,
      [key]: JSON.stringify({ ...section, hosts: Object.fromEntries(hosts) }),
      ...opening,
    },
    secretKeys: [...file.secretKeys, ...Object.keys(opening)],
  };
}

/** The one node of the plan as k3s registers it: labels of ours are in k3s' settings. */
function ownNode({ plan }: EnvironmentRun): KubernetesObject {
  const [node] = nodesOf(plan);
  if (node === undefined) {
    throw new Error("the plan has no node");
  }
  const ours = Object.keys(plan.pools[0]?.labels ?? {});
  const labels = Object.entries(node.metadata.labels ?? {}).filter(([key]) => !ours.includes(key));
  const name = "@NODE@";
  const own = { "kubernetes.io/hostname": name };
  return { ...node, metadata: { name, labels: { ...Object.fromEntries(labels), ...own } } };
}

/** Variables of the provider that plays a cloud. */
function ofCloud(plane: ControlPlane, { delays, loadBalancerRemovalMs, endpoint }: CloudBehaviour) {
  return {
    KUBECONFIG: plane.kubeconfig,
    E2E_CLOUD: plane.folder,
    E2E_CLOUD_DELAYS: JSON.stringify(delays ?? {}),
    E2E_LOAD_BALANCER_MS: String(loadBalancerRemovalMs ?? 0),
    ...(endpoint !== undefined && { E2E_ENDPOINT: endpoint }),
  };
}

/** What the cloud's add-ons bring before the platform tells them anything: namespaces, and kinds of their operators. */
async function addAddons({ client }: ControlPlane, objects: readonly KubernetesObject[]): Promise<void> {
  const namespaces = foreignNamespacesOf(objects).map((name) => {
    return client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  });
  const kinds = kindsOf(objects);
  const addons = ["NvidiaNetworkOperator", "nv-ipam"].map((addon) => installChartCrds(client, addon, kinds));
  await Promise.all([...namespaces, ...addons]);
}

/** The controllers that the environment's charts bring and this cluster can run: the one of groups over several nodes. */
async function runControllers(plane: ControlPlane, objects: readonly KubernetesObject[]): Promise<void> {
  if (!objects.some(({ kind }) => kind === "LeaderWorkerSet")) {
    return;
  }
  await installChartCrds(plane.client, "lws", kindsOf(objects));
  await runGroupController(plane);
}
