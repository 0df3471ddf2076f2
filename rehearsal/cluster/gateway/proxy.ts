import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { RunningPod } from "../kubelet/running-pod";

/** Envoy's admin port, reachable only inside its pod (internal/xds/bootstrap, 1.9). */
const ADMIN_PORT = 19000;
/** `/config_dump` returns megabytes. */
const MOST_BYTES = 256 * 2 ** 20;

/** Access log entry with the fields of the environment's EnvoyProxy. */
export type AccessLogEntry = Readonly<Record<string, unknown>>;

/** Envoy of the Gateway with its filter and shutdown manager. */
export class GatewayProxy {
  constructor(
    private readonly pod: RunningPod,
    /** Pod ports by Gateway listener port: Envoy Gateway remaps low ports. */
    private readonly ports: ReadonlyMap<number, number>,
  ) {}

  get name(): string {
    return this.pod.pod.metadata.name;
  }

  /** IPv4 address reachable from this machine. */
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

  /** Pod port for a Gateway port. */
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

  /** Response of Envoy's admin interface, such as `/config_dump` or `/stats?format=json`. */
  async admin(path: string, method: "GET" | "POST" = "GET"): Promise<string> {
    const curl = ["curl", "--silent", "--fail", "--request", method, `http://127.0.0.1:${ADMIN_PORT}${path}`];
    const args = [`--net=/proc/${this.pod.networkProcess}/ns/net`, ...curl];
    const { stdout } = await promisify(execFile)("nsenter", args, { maxBuffer: MOST_BYTES });
    return stdout;
  }

  async stats(filter: string): Promise<ReadonlyMap<string, number>> {
    const text = await this.admin(`/stats?format=json&filter=${encodeURIComponent(filter)}`);
    const { stats } = JSON.parse(text) as {
      readonly stats: readonly { readonly name?: string; readonly value?: number }[];
    };
    return new Map(
      stats.flatMap(({ name, value }) => (name !== undefined && value !== undefined ? [[name, value]] : [])),
    );
  }

  /** Access log, oldest first, flushed every 100 ms. */
  accessLog(): AccessLogEntry[] {
    return this.pod
      .output("envoy")
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as AccessLogEntry);
  }

  /** Output of a container: `envoy`, `shutdown-manager`, `ai-gateway-extproc`. */
  output(container: string): string {
    return this.pod.output(container);
  }

  /**
   * Stops the proxy.
   *
   * @param how "terminate": as Kubernetes, with the shutdown manager's drain, up to the
   *   EnvoyProxy's `shutdown`; "kill": as a node failure.
   */
  async stop(how: "terminate" | "kill" = "terminate"): Promise<void> {
    await (how === "kill" ? this.pod.kill() : this.pod.terminate());
  }
}
