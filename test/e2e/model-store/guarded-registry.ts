import { randomUUID } from "node:crypto";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { IssuedCertificate } from "../../../rehearsal/cluster/authority";
import { LocalRegistry } from "../edge/local-registry";

/** crane's registry behind TLS of an own authority, which gives tokens for one login. */
export class GuardedRegistry {
  /** Blobs of which only so many bytes are sent, and then nothing, by digest. */
  readonly held = new Map<string, number>();
  /** Contents in place of blobs, by digest. */
  readonly replaced = new Map<string, Buffer>();
  /** `<path> <range>` of what was answered. */
  readonly asked: string[] = [];
  private readonly token = randomUUID();
  private readonly server: Server;

  private constructor(
    readonly registry: LocalRegistry,
    { "tls.crt": cert, "tls.key": key }: IssuedCertificate,
    private readonly login: string,
  ) {
    this.server = createServer({ cert, key }, (incoming, response) => this.answer(incoming, response));
  }

  /** @param login `user:password` */
  static async start(certificate: IssuedCertificate, login: string): Promise<GuardedRegistry> {
    const guarded = new GuardedRegistry(await LocalRegistry.start(), certificate, login);
    await new Promise<void>((resolve) => guarded.server.listen(0, "127.0.0.1", resolve));
    return guarded;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
    this.registry.stop();
  }

  private answer(incoming: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(incoming.url ?? "/", this.url);
    const { authorization, range = "" } = incoming.headers;
    if (pathname === "/token") {
      const isKnown = authorization === `Basic ${Buffer.from(this.login).toString("base64")}`;
      response.writeHead(isKnown ? 200 : 401).end(isKnown ? JSON.stringify({ access_token: this.token }) : undefined);
    } else if (authorization !== `Bearer ${this.token}`) {
      response.writeHead(401, { "www-authenticate": `Bearer realm="${this.url}/token",service="guarded"` }).end();
    } else {
      this.asked.push(`${pathname} ${range}`);
      this.forward(incoming, pathname.split("/").at(-1) ?? "", response);
    }
  }

  private forward({ url, headers }: IncomingMessage, digest: string, response: ServerResponse): void {
    const other = this.replaced.get(digest);
    if (other !== undefined) {
      response.writeHead(200).end(other);
      return;
    }
    const { accept, range } = headers;
    const kept = { ...(accept && { accept }), ...(range && { range }) };
    const most = this.held.get(digest);
    request(`http://${this.registry.host}${url}`, { headers: kept }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (most === undefined) {
        answer.pipe(response);
      } else {
        answer.once("readable", () => response.write(answer.read(most) ?? answer.read()));
      }
    }).end();
  }
}
