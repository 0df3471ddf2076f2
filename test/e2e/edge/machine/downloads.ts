import { createServer, type Server } from "node:https";
import { K3S_INSTALLER, k3sFor, k3sUrl } from "../../../../catalog/k3s";
import { Authority } from "../../../../rehearsal/cluster/authority";
import { RELEASE } from "./release";

/** What is held back of an answer. */
export interface HeldAnswer {
  /** How a file is asked for: HEAD is whether it is there. */
  readonly method: "GET" | "HEAD";
  readonly url: string;
  /** Bytes that come before the rest is held back; of none, not even that there is such a file. */
  readonly after: number;
}

/** Who publishes k3s, by the names that the catalogue has; the addresses are of a test's network. */
export class Downloads {
  /** Addresses that were asked for, in their order. */
  readonly asked: string[] = [];
  private held: HeldAnswer | undefined;
  /** Ends the answers that are held back. */
  private rests: (() => void)[] = [];

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
      const begin = (): void => {
        response.writeHead(from > 0 ? 206 : 200, {
          "content-length": rest.length,
          ...(from > 0 && { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` }),
        });
      };
      const held = downloads.held;
      if (held?.url !== url || held.method !== request.method) {
        begin();
        response.end(rest);
      } else if (held.after === 0) {
        downloads.rests.push(() => {
          begin();
          response.end(rest);
        });
      } else {
        begin();
        response.write(rest.subarray(0, held.after));
        downloads.rests.push(() => response.end(rest.subarray(held.after)));
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

  /** Holds back all or part of the answers to what is asked so from now on. */
  hold(answer: HeldAnswer): void {
    this.held = answer;
  }

  /** Gives what was held back, and holds back no more. */
  release(): void {
    this.held = undefined;
    for (const rest of this.rests.splice(0)) {
      rest();
    }
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
