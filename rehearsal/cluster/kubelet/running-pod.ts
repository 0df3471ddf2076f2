import { mkdirSync } from "node:fs";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { join } from "node:path";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ControlPlane } from "../control-plane";
import type { Program } from "../lifeline";
import { patchStatus } from "../status";
import { waitFor } from "../wait";
import { joinServices } from "./endpoints";
import type { PodNetwork } from "./network";
import { PodContainers, type PodPlace, type Programs } from "./pod-containers";
import { type Container, type HttpGet, type PodSpec, podSpec } from "./pod-spec";

/** Refresh interval of Secrets and ConfigMaps; a kubelet takes up to a minute. */
const REFRESH_MS = 500;

export interface PodOptions extends PodPlace {
  /** Whether its Services' names resolve to it, ready or not. @default true */
  readonly joinsServices?: boolean;
}

interface RunningContainer {
  readonly container: Container;
  readonly program: Program;
  readonly sidecar: boolean;
}

/**
 * Pod whose containers run as local programs. As a kubelet: current volumes, token, network
 * namespace, init containers, readiness probes, `preStop` hooks, SIGTERM and grace period; if
 * confined, user and read-only root. Not implemented: limits, other security contexts, restarts,
 * liveness.
 */
export class RunningPod {
  private readonly refresh: NodeJS.Timeout;
  private readonly hooks = new Map<string, Program>();
  private ended: Promise<void> | undefined;

  private constructor(
    private readonly plane: ControlPlane,
    /** As returned by admission. */
    readonly pod: KubernetesObject,
    /** IPv4 address, reachable from this machine and other pods. */
    readonly address: string,
    /** Process that holds its network namespace. */
    readonly networkProcess: string,
    private readonly spec: PodSpec,
    private readonly holder: Program,
    private readonly runner: PodContainers,
    private readonly containers: readonly RunningContainer[],
    /** Init containers other than sidecars. */
    private readonly finished: readonly RunningContainer[],
    private readonly leaveServices: () => void,
  ) {
    this.refresh = setInterval(() => void runner.refreshVolumes().catch(() => undefined), REFRESH_MS);
    this.refresh.unref();
  }

  /** Creates the pod and starts its containers; throws when the API server refuses it. */
  static async run(
    plane: ControlPlane,
    network: PodNetwork,
    manifest: KubernetesObject,
    programs: Programs,
    { joinsServices = true, ...place }: PodOptions = {},
  ): Promise<RunningPod> {
    const { object: pod } = await plane.client.apply(manifest);
    const spec = podSpec.parse(pod.spec);
    const { namespace, name, uid } = pod.metadata;
    // Successive pods of a StatefulSet share a name.
    const folder = join(plane.folder, "pods", `${namespace}-${name}-${uid}`);
    mkdirSync(folder, { recursive: true });
    const { holder, pid, address } = await network.addPod(join(folder, "network.log"));
    const containers: RunningContainer[] = [];
    const finished: RunningContainer[] = [];
    try {
      const runner = new PodContainers(pod, spec, folder, plane, network, { pid, address }, programs, place);
      await runner.writeVolumes();
      for (const container of [...spec.initContainers, ...spec.containers]) {
        // Without a command, the image's program starts.
        const command = container.command.length > 0 ? container.command : [container.name];
        const program = await runner.start(container, [...command, ...container.args]);
        const isInit = spec.initContainers.includes(container);
        if (isInit && container.restartPolicy !== "Always") {
          finished.push({ container, program, sidecar: false });
          await program.exited();
          requireSuccess(container, program);
        } else {
          containers.push({ container, program, sidecar: isInit });
        }
      }
      const leaveServices = joinsServices
        ? await joinServices(plane.client, network.names, pod, address)
        : () => undefined;
      return new RunningPod(plane, pod, address, pid, spec, holder, runner, containers, finished, leaveServices);
    } catch (error) {
      await Promise.all([holder, ...containers.map(({ program }) => program)].map((program) => program.stop()));
      throw error;
    }
  }

  /** Waits until all readiness probes succeed, and reports the pod as ready. */
  async ready(seconds = 60): Promise<void> {
    await Promise.all(
      this.containers.map(async ({ container, program }) => {
        const probe = container.readinessProbe?.httpGet;
        await program.ready(async () => (probe === undefined ? true : this.passes(container, probe)), seconds);
      }),
    );
    const conditions = [{ type: "Ready", status: "True" }];
    await patchStatus(this.plane.client, this.pod, { phase: "Running", podIP: this.address, conditions });
  }

  /**
   * Waits until all containers have ended, as a Job's.
   *
   * @throws Error with the output of one that failed.
   */
  async completed(seconds = 60): Promise<void> {
    await waitFor(
      `the end of pod ${this.pod.metadata.name}`,
      async () => this.containers.every(({ program }) => program.ending !== undefined) || undefined,
      seconds,
    );
    for (const { container, program } of this.containers) {
      requireSuccess(container, program);
    }
    await this.leave();
  }

  /** Output of a container, followed by that of its `preStop` hook. */
  output(container: string): string {
    return this.running(container).program.output() + (this.hooks.get(container)?.output() ?? "");
  }

  /** How a container ended; undefined while it runs. */
  ending(container: string): string | undefined {
    return this.running(container).program.ending;
  }

  /**
   * Ends the pod as a kubelet does: removes its names, runs `preStop`, sends SIGTERM to containers,
   * then sidecars, and kills after the grace period.
   */
  async terminate(): Promise<void> {
    this.ended ??= this.endGracefully();
    await this.ended;
  }

  /** Kills it, as a node failure. */
  async kill(): Promise<void> {
    await Promise.all(this.containers.map(({ program }) => program.stop()));
    await this.leave();
  }

  private async endGracefully(): Promise<void> {
    const seconds = this.spec.terminationGracePeriodSeconds;
    const grace = setTimeout(() => {
      void Promise.all(this.containers.map(({ program }) => program.stop()));
    }, seconds * 1000);
    this.leaveServices();
    const end = async ({ container, program }: RunningContainer): Promise<void> => {
      await Promise.race([this.preStop(container), program.exited()]);
      await program.terminate();
    };
    await Promise.all(this.containers.filter(({ sidecar }) => !sidecar).map(end));
    for (const sidecar of this.containers.filter((each) => each.sidecar).reverse()) {
      await end(sidecar);
    }
    clearTimeout(grace);
    await this.leave();
  }

  private async leave(): Promise<void> {
    clearInterval(this.refresh);
    this.leaveServices();
    await this.holder.stop();
    await this.plane.client.delete(this.pod, 0);
  }

  /** Failed hooks are ignored. */
  private async preStop(container: Container): Promise<void> {
    const { httpGet, exec } = container.lifecycle?.preStop ?? {};
    const seconds = this.spec.terminationGracePeriodSeconds;
    if (httpGet !== undefined) {
      await get(this.address, portOf(container, httpGet), httpGet.path, seconds).catch(() => undefined);
    }
    if (exec !== undefined) {
      const hook = await this.runner.start(container, exec.command, `${container.name}-pre-stop`);
      this.hooks.set(container.name, hook);
      await waitFor(`the preStop hook of ${container.name}`, async () => hook.ending, seconds);
    }
  }

  private async passes(container: Container, probe: HttpGet): Promise<true | undefined> {
    const status = await get(this.address, portOf(container, probe), probe.path, 1, probe.scheme);
    return status >= 200 && status < 400 ? true : undefined;
  }

  private running(name: string): RunningContainer {
    const found = [...this.finished, ...this.containers].find(({ container }) => container.name === name);
    if (found === undefined) {
      const all = this.containers.map(({ container }) => container.name).join(", ");
      throw new Error(`pod ${this.pod.metadata.name} has no container ${name}; there are: ${all}`);
    }
    return found;
  }
}

function requireSuccess({ name }: Container, program: Program): void {
  if (program.ending !== "ended with 0") {
    throw new Error(`container ${name} ${program.ending}:\n${program.output()}`);
  }
}

function portOf({ name, ports }: Container, { port }: HttpGet): number {
  const found = typeof port === "number" ? port : ports.find((each) => each.name === port)?.containerPort;
  if (found === undefined) {
    throw new Error(`container ${name} has no port ${port}`);
  }
  return found;
}

/** HTTP status of a path; ignores certificates, as a kubelet does. */
async function get(host: string, port: number, path: string, seconds: number, scheme = "HTTP"): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = scheme === "HTTPS" ? requestTls : request;
    const options = { host, port, path, timeout: seconds * 1000, agent: false, rejectUnauthorized: false } as const;
    const asked = send(options, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    asked.once("timeout", () => asked.destroy(new Error(`no answer in ${seconds} s`)));
    asked.once("error", reject);
    asked.end();
  });
}
