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

/** Programs by container name, as no image is pulled. */
export type Programs = Readonly<Record<string, string>>;

/** Local resources of a pod, and its confinement. */
export interface PodPlace {
  /** Folders by claim name, which outlive the pod. @default no claims */
  readonly claims?: Readonly<Record<string, string>>;
  /** Image programs that its scripts call, by name. @default this machine's */
  readonly commands?: Readonly<Record<string, string>>;
  /** Whether to apply the pod's user and read-only root. @default false */
  readonly isConfined?: boolean;
}

/** Runs a pod's containers with local volumes, network and names. */
export class PodContainers {
  private readonly files: PodFiles;
  private readonly resolver: readonly Mount[];
  private readonly commands: readonly Mount[];
  private readonly user: number | undefined;

  constructor(
    private readonly pod: KubernetesObject,
    private readonly spec: PodSpec,
    /** For volumes and logs. */
    private readonly folder: string,
    plane: ControlPlane,
    private readonly network: PodNetwork,
    /** Process that holds the network namespace, and the pod's address. */
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

  /** API server variables that the kubelet sets in every container. */
  private readonly server: Readonly<Record<string, string>>;

  /** Writes all volumes. Tokens outlast these pods and are not renewed. */
  async writeVolumes(): Promise<void> {
    await Promise.all(
      this.spec.volumes.map(async (volume) => {
        const folder = this.folderOf(volume);
        await this.files.write(volume, folder);
        if (this.user !== undefined) {
          // As a kubelet does for `fsGroup`.
          chownSync(folder, this.user, this.user);
        }
      }),
    );
  }

  /** Rewrites volumes that may have changed. */
  async refreshVolumes(): Promise<void> {
    const changing = this.spec.volumes.filter(({ configMap, secret }) => (configMap ?? secret) !== undefined);
    await Promise.all(changing.map((volume) => this.files.write(volume, this.folderOf(volume))));
  }

  /**
   * Starts a program as a container.
   *
   * @param command of the container or a hook; its first word is the image's program.
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

  /** As a kubelet does for the policy ClusterFirst. */
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
