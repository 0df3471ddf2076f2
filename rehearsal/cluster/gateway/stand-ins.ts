import type { Server } from "node:http";
import type { PodNetwork } from "../kubelet/network";

/** A server that a test plays in place of one that proxies know by its name. */
export interface StandIn {
  readonly server: Server;
  /** IPv4 address of its own. */
  readonly address: string;
  readonly port: number;
  /** Takes its address from the name, unless another port is served there, so that proxies forget it within seconds, and closes it with its connections. */
  close(): Promise<void>;
}

/** Names of the pods' network that a test answers for. */
export class StandIns {
  private readonly running = new Set<StandIn>();
  /** Addresses of names that no server has yet. */
  private readonly vacant = new Map<string, string>();

  constructor(private readonly network: PodNetwork) {}

  /** Lets names lead somewhere before a proxy asks: after a failure Envoy asks again half a minute later. */
  async reserve(hostnames: Iterable<string>): Promise<void> {
    for (const hostname of new Set(hostnames)) {
      if (!this.vacant.has(hostname) && this.network.names.addresses(hostname).length === 0) {
        this.vacant.set(hostname, await this.network.serviceAddress(hostname));
      }
    }
  }

  /**
   * Makes a server answer under a name, which may have several addresses: at one where another port of the name is served already, as a
   * pod has several ports; else at an address of its own.
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

  /** An address of a name where somebody answers, and nobody on this port. */
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
