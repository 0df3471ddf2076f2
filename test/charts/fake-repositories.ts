/** Repositories of charts on this machine, of both kinds, with charts of the catalogue that hold nothing but their names. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { stringify } from "yaml";
import type { ChartEntry } from "../../catalog/charts";
import { chartArchiveOf, digestOf, sha256 } from "../bundle/registry";

const TOKEN = "a-token-for-anybody";

export class FakeRepositories {
  /** `<path>` of each request until now. */
  readonly asked: string[] = [];
  /** Content by catalogue name; tests put other bytes there. */
  readonly archives = new Map<string, Buffer>();
  /** The charts, at these repositories. */
  readonly charts: readonly ChartEntry[];

  private constructor(
    private readonly server: Server,
    charts: readonly ChartEntry[],
  ) {
    const { port } = server.address() as AddressInfo;
    this.charts = charts.map(({ archive: _published, ...chart }) => {
      this.archives.set(chart.name, chartArchiveOf(chart.chart, chart.version));
      const isOci = chart.repository.startsWith("oci://");
      const host = `127.0.0.1:${port}`;
      return {
        ...chart,
        repository: isOci ? `oci://${host}/charts/${chart.name}` : `http://${host}/helm/${chart.name}`,
      };
    });
    server.on("request", (request, response) => this.answer(request, response));
  }

  static async start(charts: readonly ChartEntry[]): Promise<FakeRepositories> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new FakeRepositories(server, charts);
  }

  /** From now on nothing listens there. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    this.asked.push(url);
    const { pathname } = new URL(url, "http://localhost");
    if (pathname === "/token") {
      response.end(JSON.stringify({ token: TOKEN }));
    } else if (pathname.startsWith("/v2/") && headers.authorization !== `Bearer ${TOKEN}`) {
      const realm = `http://${headers.host}/token`;
      response.writeHead(401, { "www-authenticate": `Bearer realm="${realm}",service="fake"` }).end();
    } else {
      const content = this.contentAt(pathname);
      response.writeHead(content === undefined ? 404 : 200).end(content);
    }
  }

  private contentAt(path: string): string | Buffer | undefined {
    const [, name = "", kind] =
      /^\/helm\/([^/]+)\/(index\.yaml|chart\.tgz)$/.exec(path) ??
      /^\/v2\/charts\/([^/]+)\/(manifests|blobs)\//.exec(path) ??
      [];
    const chart = this.charts.find((each) => each.name === name);
    const archive = this.archives.get(name);
    if (chart === undefined || archive === undefined) {
      return undefined;
    }
    switch (kind) {
      case "index.yaml":
        return stringify({
          apiVersion: "v1",
          entries: { [chart.chart]: [{ version: chart.version, digest: sha256(archive), urls: ["chart.tgz"] }] },
        });
      case "manifests":
        return JSON.stringify({
          schemaVersion: 2,
          layers: [
            {
              mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
              digest: digestOf(archive),
              size: archive.length,
            },
          ],
        });
      default:
        return archive;
    }
  }
}
