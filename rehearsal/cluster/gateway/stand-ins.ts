import type { Server } from "node:http";
import type { PodNetwork } from "../kubelet/network";

/** Test server behind a hostname that proxies resolve. */
export interface StandIn {
  readonly server: Server;
  /** Dedicated IPv4 address. */
  readonly address: string;
  readonly port: number;
  /**
   * Closes the server and its connections. Removes its address from the name unless another port
   * uses it; proxies forget it within seconds.
   */
  close(): Promise<void>;
}

/** Hostnames of the pod network served by a test. */
export class StandIns {
  private readonly running = new Set<StandIn>();
  /** Reserved addresses of names without a server. */
  private readonly vacant = new Map<string, string>();

  constructor(private readonly network: PodNetwork) {}

  /**
   * Reserves addresses before proxies resolve names: Envoy retries failures after half a minute.
   */
  async reserve(hostnames: Iterable<string>): Promise<void> {
    for (const hostname of new Set(hostnames)) {
      if (!this.vacant.has(hostname) && this.network.names.addresses(hostname).length === 0) {
        this.vacant.set(hostname, await this.network.serviceAddress(hostname));
      }
    }
  }

  /**
   * Serves a hostname, which may have several addresses. Uses an address that serves only other
   * ports, as a pod does, or else a new one.
   */
  async listen(hostname: string, port: number, server: Server): Promise<StandIn> {
    const address =
      this.vacant.get(hostname) ?? this.withoutPort(hostname, port) ?? (await this.network.serviceAddress(hostname));
    this.vacant.delete(hostname);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, address, resolve);
    });
    const standIn: StandIn = {
      server,
      address,
      port,
      close: async () => {
        this.running.delete(standIn);
        const { names } = this.network;
        if (![...this.running].some((other) => other.address === address)) {
          names.set(
            hostname,
            names.addresses(hostname).filter((each) => each !== address),
          );
        }
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
    this.running.add(standIn);
    return standIn;
  }

  /** Address of a name that serves other ports, but not this one. */
  private withoutPort(hostname: string, port: number): string | undefined {
    const here = [...this.running];
    return this.network.names
      .addresses(hostname)
      .find(
        (address) =>
          here.some((other) => other.address === address) &&
          !here.some((other) => other.address === address && other.port === port),
      );
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.running].map((standIn) => standIn.close()));
  }
}
