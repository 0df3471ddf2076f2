import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy on loopback that tunnels (CONNECT) to any server, or to none. */
export class ConnectProxy {
  /** `host:port` of what it was asked for. */
  readonly asked: string[] = [];
  /** Names that only the proxy knows: servers on loopback. */
  readonly names = new Set<string>();
  /** Answer in place of a tunnel. @default none */
  refusal: string | undefined;
  /** Status of a tunnel. */
  established = "200 Connection Established";
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on("connect", ({ url = "" }, client) => {
      this.asked.push(url);
      if (this.refusal !== undefined) {
        client.end(`HTTP/1.1 ${this.refusal}\r\n\r\n`);
        return;
      }
      const { hostname, port } = new URL(`http://${url}`);
      const target = connect(Number(port || 80), this.names.has(hostname) ? "127.0.0.1" : hostname, () => {
        client.write(`HTTP/1.1 ${this.established}\r\n\r\n`);
        target.pipe(client).pipe(target);
      });
      for (const socket of [target, client as Socket]) {
        this.sockets.add(socket);
        socket.on("error", () => client.destroy());
        socket.on("close", () => this.sockets.delete(socket));
      }
    });
  }

  static async start(): Promise<ConnectProxy> {
    const server = createServer();
    const proxy = new ConnectProxy(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.sockets) {
      socket.destroy();
    }
    this.server.close();
  }
}
