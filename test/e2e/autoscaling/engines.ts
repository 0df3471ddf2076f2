import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What stands for the vLLM servers behind a model's Service: somebody answers while the model has a replica. */
export class Engines {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  /** @param isThere asked with every request. */
  static async start(servedName: string, isThere: () => Promise<boolean>): Promise<Engines> {
    const answers: Readonly<Record<string, string>> = {
      "/health": "",
      "/metrics": "",
      "/version": JSON.stringify({ version: "0.33.0" }),
      "/v1/models": JSON.stringify({ data: [{ id: servedName }] }),
    };
    const server = createServer(({ url = "", socket }, response) => {
      isThere().then(
        (there) => {
          const answer = answers[url];
          if (there) {
            response.writeHead(answer === undefined ? 404 : 200).end(answer);
          } else {
            socket.destroy();
          }
        },
        () => socket.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return new Engines(`http://127.0.0.1:${port}`, server);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
