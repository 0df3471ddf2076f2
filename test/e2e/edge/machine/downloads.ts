import { createServer, type Server } from "node:https";
import { K3S_INSTALLER, k3sFor, k3sUrl } from "../../../../catalog/k3s";
import { Authority } from "../../../../rehearsal/cluster/authority";
import { RELEASE } from "./release";

/** Who publishes k3s, by the names that the catalogue has; the addresses are of a test's network. */
export class Downloads {
  /** Paths that were asked for, in their order. */
  readonly asked: string[] = [];
  /** How many bytes of a file come before the rest is held back; undefined: all of it comes. */
  holdAfter: number | undefined;

  private constructor(
    private readonly authority: Authority,
    private readonly server: Server,
  ) {}

  /** Host names that it answers for. */
  static get names(): readonly string[] {
    return [...new Set([...FILES.keys()].map((url) => new URL(url).hostname))];
  }

  static async start(address: string): Promise<Downloads> {
    const authority = new Authority();
    const { "tls.crt": cert, "tls.key": key } = authority.issue(Downloads.names.map((name) => `DNS:${name}`));
    const server = createServer({ cert, key });
    const downloads = new Downloads(authority, server);
    server.on("request", (request, response) => {
      const url = `https://${request.headers.host}${request.url}`;
      downloads.asked.push(url);
      const content = FILES.get(url);
      if (content === undefined) {
        response.writeHead(404).end();
        return;
      }
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const rest = content.subarray(from);
      response.writeHead(from > 0 ? 206 : 200, {
        "content-length": rest.length,
        ...(from > 0 && { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` }),
      });
      if (downloads.holdAfter === undefined) {
        response.end(rest);
      } else {
        response.write(rest.subarray(0, downloads.holdAfter));
      }
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(443, address, resolve);
    });
    return downloads;
  }

  /** PEM of the authority that vouches for it. */
  get certificate(): string {
    return this.authority.certificate;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.authority.discard();
  }
}

const FILES: ReadonlyMap<string, Buffer> = new Map([
  [K3S_INSTALLER.url, RELEASE.installer],
  [k3sUrl(k3sFor("amd64").binary), RELEASE.binary],
]);
