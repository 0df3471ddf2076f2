/** What Argo CD's repository server reaches outside of the cluster: a Git repository that asks for a token, and repositories of charts. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer as createProxy, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { stringify } from "yaml";
import type { Authority } from "../../../rehearsal/cluster/authority";
import { digestOf, sha256 } from "../../bundle/registry";

export interface ServedChart {
  /** As an Application has it: an HTTPS index, or a registry with a path. */
  readonly repository: string;
  readonly name: string;
  readonly version: string;
  readonly archive: Buffer;
}

export interface ServedRepository {
  readonly url: string;
  /** The bare repository. */
  readonly folder: string;
  readonly username: string;
  readonly token: string;
}

const OCI_CONFIG = Buffer.from(JSON.stringify({ name: "chart", version: "0.0.0", apiVersion: "v2" }));

/** One server with the certificates of all of them, behind a proxy that takes every name there. */
export class FakeInternet {
  private constructor(
    private readonly servers: readonly Server[],
    /** PEM. */
    readonly authority: string,
    /** For HTTPS_PROXY. */
    readonly proxy: string,
  ) {}

  static async start(git: ServedRepository, charts: readonly ServedChart[], issuer: Authority): Promise<FakeInternet> {
    const names = [...new Set([git.url, ...charts.map(({ repository }) => addressOf(repository))])];
    const { "tls.crt": cert, "tls.key": key } = issuer.issue([
      ...new Set(names.map((url) => `DNS:${new URL(url).hostname}`)),
      "DNS:registry-1.docker.io",
    ]);
    issuer.discard();
    const tls = createServer({ cert, key }, (request, response) => answer(git, charts, request, response));
    const port = await listening(tls);
    const proxy = createProxy();
    proxy.on("connect", (_request, client) => {
      const server = connect(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(server).pipe(client);
      });
      server.on("error", () => client.destroy());
      client.on("error", () => server.destroy());
    });
    return new FakeInternet([tls, proxy], issuer.certificate, `http://127.0.0.1:${await listening(proxy)}`);
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Helm takes `docker.io` for what answers for it. */
function addressOf(repository: string): string {
  const url = repository.includes("://") ? repository : `https://${repository}`;
  return url.replace("//docker.io/", "//registry-1.docker.io/");
}

function answer(
  git: ServedRepository,
  charts: readonly ServedChart[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? "", `https://${request.headers.host}`);
  if (url.href.startsWith(`${git.url}/`)) {
    answerGit(git, url, request, response);
    return;
  }
  const content = chartContent(charts, url);
  if (content === undefined) {
    response.writeHead(404).end();
  } else {
    response.writeHead(200, { "content-type": content.type, "content-length": content.bytes.length });
    response.end(request.method === "HEAD" ? undefined : content.bytes);
  }
}

interface Content {
  readonly type: string;
  readonly bytes: Buffer;
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const BYTES = "application/octet-stream";

function chartContent(charts: readonly ServedChart[], url: URL): Content | undefined {
  const place = `${url.origin}${url.pathname}`;
  for (const chart of charts) {
    const { repository, name, version, archive } = chart;
    const address = addressOf(repository);
    if (place === `${address}/index.yaml`) {
      return { type: "text/yaml", bytes: indexOf(charts.filter((other) => other.repository === repository)) };
    }
    if (place === `${address}/${name}-${version}.tgz`) {
      return { type: BYTES, bytes: archive };
    }
    const { origin, pathname } = new URL(address);
    const own = `${origin}/v2${pathname}/${name}`;
    if (place === `${own}/tags/list`) {
      return { type: "application/json", bytes: Buffer.from(JSON.stringify({ tags: [version] })) };
    }
    const manifest = manifestOf(archive);
    if ([version, digestOf(manifest)].some((reference) => place === `${own}/manifests/${reference}`)) {
      return { type: MANIFEST, bytes: manifest };
    }
    const blob = [archive, OCI_CONFIG].find((bytes) => place === `${own}/blobs/${digestOf(bytes)}`);
    if (blob !== undefined) {
      return { type: BYTES, bytes: blob };
    }
  }
  return undefined;
}

function indexOf(charts: readonly ServedChart[]): Buffer {
  const names = [...new Set(charts.map(({ name }) => name))];
  const entries = names.map((name) => [name, charts.filter((chart) => chart.name === name).map(indexEntry)]);
  return Buffer.from(stringify({ apiVersion: "v1", entries: Object.fromEntries(entries) }));
}

function indexEntry({ name, version, archive }: ServedChart) {
  return { apiVersion: "v2", name, version, digest: sha256(archive), urls: [`${name}-${version}.tgz`] };
}

function manifestOf(archive: Buffer): Buffer {
  const part = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: part("application/vnd.cncf.helm.config.v1+json", OCI_CONFIG),
      layers: [part("application/vnd.cncf.helm.chart.content.v1.tar+gzip", archive)],
    }),
  );
}

/** Git's own server, behind a login. */
function answerGit(git: ServedRepository, url: URL, request: IncomingMessage, response: ServerResponse): void {
  const login = Buffer.from(`${git.username}:${git.token}`).toString("base64");
  if (request.headers.authorization !== `Basic ${login}`) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: git.folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.href.slice(git.url.length).replace(/\?.*/, ""),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(backend.stdin);
  void passOn(backend, response);
}

/** A CGI answer: headers, an empty line, the body. */
async function passOn({ stdout }: ChildProcess, response: ServerResponse): Promise<void> {
  let head = Buffer.alloc(0);
  let isBody = false;
  for await (const chunk of stdout ?? []) {
    if (isBody) {
      response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk as Buffer]);
    const end = head.indexOf("\r\n\r\n");
    if (end >= 0) {
      const headers = Object.fromEntries(
        head
          .subarray(0, end)
          .toString()
          .split("\r\n")
          .map((line) => line.split(/:\s*/, 2) as [string, string]),
      );
      const { Status: status = "200", ...others } = headers;
      response.writeHead(Number.parseInt(status, 10), others);
      response.write(head.subarray(end + 4));
      isBody = true;
    }
  }
  response.end();
}
