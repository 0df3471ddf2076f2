import { chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ControlPlane } from "../control-plane";
import { accessOf } from "../kubeconfig";
import { Program } from "../lifeline";
import { COMMANDS_FOLDER, containerCommand, type Mount } from "./container";
import type { PodNetwork } from "./network";
import { expand, PodFiles } from "./pod-files";
import type { Container, PodSpec, Volume } from "./pod-spec";

/** The program of each container, by the container's name: no image is pulled here. */
export type Programs = Readonly<Record<string, string>>;

/** What a pod finds on this machine, and how strictly it is kept. */
export interface PodPlace {
  /** Folders of claims, by the claims' names; they outlive the pod. @default a pod has no claims */
  readonly claims?: Readonly<Record<string, string>>;
  /** Programs of its images that its scripts call, by the names that they call. @default what this machine has */
  readonly commands?: Readonly<Record<string, string>>;
  /** Containers run as the pod's user, with a read-only root where theirs is. @default as root, with this machine's */
  readonly isConfined?: boolean;
}

/** Where a pod's containers run: its volumes on this machine, its network, its names. */
export class PodContainers {
  private readonly files: PodFiles;
  private readonly resolver: readonly Mount[];
  private readonly commands: readonly Mount[];
  private readonly user: number | undefined;

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
    private readonly options: PodPlace = {},
  ) {
    this.files = new PodFiles(plane, pod, place.address, spec.serviceAccountName);
    this.server = {
      KUBERNETES_SERVICE_HOST: "kubernetes.default.svc",
      KUBERNETES_SERVICE_PORT: String(accessOf(readFileSync(plane.kubeconfig, "utf8")).port),
    };
    this.resolver = this.resolverFiles();
    this.commands = this.commandFiles();
    this.user = options.isConfined ? spec.securityContext?.runAsUser : undefined;
  }

  /** How in-cluster clients find the API server, as the kubelet tells every container. */
  private readonly server: Readonly<Record<string, string>>;

  /** Writes all volumes. Tokens are those of the start: they outlast what runs here. */
  async writeVolumes(): Promise<void> {
    await Promise.all(
      this.spec.volumes.map(async (volume) => {
        const folder = this.folderOf(volume);
        await this.files.write(volume, folder);
        if (this.user !== undefined) {
          // As a kubelet does by `fsGroup`.
          chownSync(folder, this.user, this.user);
        }
      }),
    );
  }

  /** Writes those again that may have changed. */
  async refreshVolumes(): Promise<void> {
    const changing = this.spec.volumes.filter(({ configMap, secret }) => (configMap ?? secret) !== undefined);
    await Promise.all(changing.map((volume) => this.files.write(volume, this.folderOf(volume))));
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
      source: join(this.folderOf(this.volume(volume)), subPath),
      target: mountPath,
    }));
    const [runner, args] = containerCommand({
      network: this.place.pid,
      root,
      ...(this.user !== undefined && { user: this.user }),
      isReadOnly: this.options.isConfined === true && container.securityContext?.readOnlyRootFilesystem === true,
      mounts: [...this.resolver, ...this.commands, ...mounts],
      env,
      command: [program, ...command.slice(1).map((word) => expand(word, env))],
    });
    return new Program(runner, args, join(this.folder, `${name}.log`));
  }

  private volume(name: string): Volume {
    const found = this.spec.volumes.find((volume) => volume.name === name);
    if (found === undefined) {
      throw new Error(`pod ${this.pod.metadata.name} has no volume ${name}`);
    }
    return found;
  }

  private folderOf({ name, persistentVolumeClaim }: Volume): string {
    const claimed = persistentVolumeClaim && this.options.claims?.[persistentVolumeClaim.claimName];
    if (persistentVolumeClaim !== undefined && claimed === undefined) {
      throw new Error(`pod ${this.pod.metadata.name}: no folder is named for claim ${persistentVolumeClaim.claimName}`);
    }
    return claimed ?? join(this.folder, "volumes", name);
  }

  private commandFiles(): readonly Mount[] {
    const commands = Object.entries(this.options.commands ?? {});
    const source = join(this.folder, "commands");
    mkdirSync(source, { recursive: true });
    for (const [name, program] of commands) {
      symlinkSync(program, join(source, name));
    }
    return commands.length > 0 ? [{ source, target: COMMANDS_FOLDER }] : [];
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
