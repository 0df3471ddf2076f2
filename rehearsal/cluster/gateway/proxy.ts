import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { RunningPod } from "../kubelet/running-pod";

/** Envoy's administration port inside its pod, where only the pod itself reaches it (internal/xds/bootstrap, 1.9). */
const ADMIN_PORT = 19000;
/** Answers of `/config_dump` are megabytes. */
const MOST_BYTES = 256 * 2 ** 20;

/** One line of the access log, by the fields that the environment's EnvoyProxy names. */
export type AccessLogEntry = Readonly<Record<string, unknown>>;

/** One Envoy that serves the Gateway, with its filter and its shutdown manager. */
export class GatewayProxy {
  constructor(
    private readonly pod: RunningPod,
    /** Where its listeners are, by the port of the Gateway's listener: Envoy Gateway moves low ones. */
    private readonly ports: ReadonlyMap<number, number>,
  ) {}

  get name(): string {
    return this.pod.pod.metadata.name;
  }

  /** IPv4 address that this machine reaches. */
  get address(): string {
    return this.pod.address;
  }

  /** Id of a process in the pod's network namespace. */
  get networkProcess(): string {
    return this.pod.networkProcess;
  }

  get isRunning(): boolean {
    return this.pod.ending("envoy") === undefined;
  }

  /** The pod's port behind a port of the Gateway. */
  port(listener: number): number {
    const port = this.ports.get(listener);
    if (port === undefined) {
      throw new Error(`the Gateway has no port ${listener}; there are: ${[...this.ports.keys()].join(", ")}`);
    }
    return port;
  }

  get httpsPort(): number {
    return this.port(443);
  }

  get httpPort(): number {
    return this.port(80);
  }

  /** What Envoy's administration interface answers, such as `/config_dump` or `/stats?format=json`. */
  async admin(path: string, method: "GET" | "POST" = "GET"): Promise<string> {
    const curl = ["curl", "--silent", "--fail", "--request", method, `http://127.0.0.1:${ADMIN_PORT}${path}`];
    const args = [`--net=/proc/${this.pod.networkProcess}/ns/net`, ...curl];
    const { stdout } = await promisify(execFile)("nsenter", args, { maxBuffer: MOST_BYTES });
    return stdout;
  }

  /** Values of Envoy's counters and gauges whose names match. */
  async stats(filter: string): Promise<ReadonlyMap<string, number>> {
    const text = await this.admin(`/stats?format=json&filter=${encodeURIComponent(filter)}`);
    const { stats } = JSON.parse(text) as {
      readonly stats: readonly { readonly name?: string; readonly value?: number }[];
    };
    return new Map(
      stats.flatMap(({ name, value }) => (name !== undefined && value !== undefined ? [[name, value]] : [])),
    );
  }

  /** The access log until now, oldest first. Envoy writes it every 100 ms here. */
  accessLog(): AccessLogEntry[] {
    return this.pod
      .output("envoy")
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as AccessLogEntry);
  }

  /** What a container of the pod has printed: `envoy`, `shutdown-manager`, `ai-gateway-extproc`. */
  output(container: string): string {
    return this.pod.output(container);
  }

  /**
   * Ends it.
   *
   * @param how "terminate": as Kubernetes does, with the shutdown manager's drain, which may take as long as the
   * EnvoyProxy's `shutdown` says; "kill": as a node's end does.
   */
  async stop(how: "terminate" | "kill" = "terminate"): Promise<void> {
    await (how === "kill" ? this.pod.kill() : this.pod.terminate());
  }
}
