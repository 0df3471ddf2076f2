import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ControlPlane } from "../control-plane";
import { accessOf } from "../kubeconfig";
import { Program } from "../lifeline";
import { containerCommand, type Mount } from "./container";
import type { PodNetwork } from "./network";
import { expand, PodFiles } from "./pod-files";
import type { Container, PodSpec } from "./pod-spec";

/** The program of each container, by the container's name: no image is pulled here. */
export type Programs = Readonly<Record<string, string>>;

/** Where a pod's containers run: its volumes on this machine, its network, its names. */
export class PodContainers {
  private readonly files: PodFiles;
  private readonly resolver: readonly Mount[];

  constructor(
    private readonly pod: KubernetesObject,
    private readonly spec: PodSpec,
    /** For its volumes and logs. */
    private readonly folder: string,
    plane: ControlPlane,
    private readonly network: PodNetwork,
    /** The process that holds its network namespace, and its address there. */
    private readonly place: { readonly pid: string; readonly address: string },
    private readonly programs: Programs,
  ) {
    this.files = new PodFiles(plane, pod, place.address, spec.serviceAccountName);
    this.server = {
      KUBERNETES_SERVICE_HOST: "kubernetes.default.svc",
      KUBERNETES_SERVICE_PORT: String(accessOf(readFileSync(plane.kubeconfig, "utf8")).port),
    };
    this.resolver = this.resolverFiles();
  }

  /** How in-cluster clients find the API server, as the kubelet tells every container. */
  private readonly server: Readonly<Record<string, string>>;

  /** Writes all volumes. Tokens are those of the start: they outlast what runs here. */
  async writeVolumes(): Promise<void> {
    await Promise.all(this.spec.volumes.map((volume) => this.files.write(volume, this.volume(volume.name))));
  }

  /** Writes those again that may have changed. */
  async refreshVolumes(): Promise<void> {
    const changing = this.spec.volumes.filter(({ configMap, secret }) => (configMap ?? secret) !== undefined);
    await Promise.all(changing.map((volume) => this.files.write(volume, this.volume(volume.name))));
  }

  /**
   * Starts a program in a container's place.
   *
   * @param command the container's own, or a hook's; its first word is the image's program.
   */
  async start(container: Container, command: readonly string[], name = container.name): Promise<Program> {
    const program = this.programs[container.name];
    if (program === undefined) {
      throw new Error(`pod ${this.pod.metadata.name}: no program is named for its container ${container.name}`);
    }
    const root = join(this.folder, `root-${name}`);
    mkdirSync(root, { recursive: true });
    const env = { ...this.server, ...(await this.files.environment(container)) };
    const mounts = container.volumeMounts.map(({ name: volume, mountPath, subPath = "" }) => ({
      source: join(this.volume(volume), subPath),
      target: mountPath,
    }));
    const [runner, args] = containerCommand({
      network: this.place.pid,
      root,
      mounts: [...this.resolver, ...mounts],
      env,
      command: [program, ...command.slice(1).map((word) => expand(word, env))],
    });
    return new Program(runner, args, join(this.folder, `${name}.log`));
  }

  private volume(name: string): string {
    return join(this.folder, "volumes", name);
  }

  /** As a kubelet writes them for pods of the policy ClusterFirst. */
  private resolverFiles(): readonly Mount[] {
    const { name, namespace } = this.pod.metadata;
    const search = `${namespace}.svc.cluster.local svc.cluster.local cluster.local`;
    const contents: Readonly<Record<string, string>> = {
      "resolv.conf": `nameserver ${this.network.address}\nsearch ${search}\noptions ndots:5\n`,
      hosts: `127.0.0.1 localhost\n${this.place.address} ${name}\n`,
    };
    return Object.entries(contents).map(([file, content]) => {
      const source = join(this.folder, file);
      writeFileSync(source, content);
      return { source, target: `/etc/${file}` };
    });
  }
}
