import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Asked {
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
}

/** What answers for the gateway's pods, which no kubelet runs here: TLS under its name, and one streamed answer. */
export class GatewayStandIn {
  private constructor(
    /** What was asked of it so far. */
    readonly asked: readonly Asked[],
    readonly port: number,
    /** Certificate of the authority that signed its own, PEM. */
    readonly ca: string,
    readonly stop: () => void,
  ) {}

  static async start(folder: string, hostname: string, words: readonly string[]): Promise<GatewayStandIn> {
    const file = (name: string) => join(folder, name);
    const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
    const fresh = ["-newkey", "rsa:2048", "-nodes", "-days", "1"];
    openssl("req", "-x509", ...fresh, "-subj", "/CN=ca", "-keyout", file("ca.key"), "-out", file("ca.pem"));
    openssl(
      ...["req", "-x509", ...fresh, "-subj", `/CN=${hostname}`, "-addext", `subjectAltName=DNS:${hostname}`],
      ...["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-keyout", file("key.pem"), "-out", file("cert.pem")],
    );
    const asked: Asked[] = [];
    const server = createServer(
      { key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) },
      (request, response) => {
        const { host, authorization } = request.headers;
        asked.push({ host, path: request.url, authorization });
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const content of words) {
          response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
        }
        response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return new GatewayStandIn(asked, port, readFileSync(file("ca.pem"), "utf8"), () => {
      server.close();
      server.closeAllConnections();
    });
  }
}
