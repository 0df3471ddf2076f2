import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { COMMIT, sha256 } from "../../components/storage/fakes";

/** Content of a repository by path. */
export type RepositoryFiles = Readonly<Record<string, Buffer>>;

/** Files from this size on are large: they have a SHA-256 and come from another host. */
const LARGE_BYTES = 100_000;

/** How the Hub misbehaves, by path of a file. Change it at any time: it holds for the next download. */
export interface Misbehaviour {
  /** Bytes after which the download of this file stands still for ever. */
  readonly stalls: Map<string, number>;
  /** Files whose last byte is another than the Hub lists. */
  readonly corrupt: Set<string>;
}

/**
 * What the sync Job asks of the Hugging Face Hub, on a loopback port over plain HTTP: a revision's commit, the tree of
 * files in pages, and the files; large ones by a redirect to a content network, which has no use for the token.
 * All repositories are gated.
 * It answers as components/storage/scripts/hugging-face.ts understands the Hub, which no test can ask.
 */
export class Hub {
  readonly misbehaviour: Misbehaviour = { stalls: new Map(), corrupt: new Set() };
  /** Paths of the files that were asked for until now. */
  readonly downloads: string[] = [];
  /** Requests to the content network that brought a token. */
  tokensElsewhere = 0;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    private readonly repositories: Readonly<Record<string, RepositoryFiles>>,
    private readonly token: string,
  ) {}

  /** @param repositories content by `organization/name`. */
  static async start(repositories: Readonly<Record<string, RepositoryFiles>>, token: string): Promise<Hub> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") {
      throw new Error("the listening socket has no port");
    }
    const hub = new Hub(server, address.port, repositories, token);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => hub.answer(request, response));
    return hub;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.url);
    const [, place, repository = "", path = ""] =
      /^\/(api\/models|content)?\/?([^/]+\/[^/]+)\/(.+)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    const files = this.repositories[repository];
    const authorized = request.headers.authorization === `Bearer ${this.token}`;
    if (place === "content") {
      if (request.headers.authorization !== undefined) {
        this.tokensElsewhere += 1;
      }
      this.send(path, files?.[path], request, response);
    } else if (!authorized) {
      response.writeHead(401).end();
    } else if (files === undefined) {
      response.writeHead(404).end();
    } else if (path === "revision/main") {
      response.end(JSON.stringify({ sha: COMMIT }));
    } else if (path === `tree/${COMMIT}`) {
      this.sendTree(url, files, response);
    } else {
      const file = path.slice(`resolve/${COMMIT}/`.length);
      this.downloads.push(file);
      if ((files[file]?.length ?? 0) < LARGE_BYTES) {
        this.send(file, files[file], request, response);
      } else {
        // Another host name, as the Hub's content network has.
        const location = `http://localhost:${this.port}/content/${repository}/${file}`;
        response.writeHead(302, { location }).end();
      }
    }
  }

  /** Two pages, the first of which links to the second. */
  private sendTree(url: URL, files: RepositoryFiles, response: ServerResponse): void {
    const entries = Object.entries(files).map(([path, content]) => entry(path, content));
    const half = Math.ceil(entries.length / 2);
    const second = url.searchParams.has("cursor");
    if (!second) {
      response.setHeader("link", `<${url.href}&cursor=2>; rel="next"`);
    }
    response.end(
      JSON.stringify(second ? entries.slice(half) : [{ type: "directory", path: "d" }, ...entries.slice(0, half)]),
    );
  }

  private send(path: string, content: Buffer | undefined, request: IncomingMessage, response: ServerResponse): void {
    if (content === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { stalls, corrupt } = this.misbehaviour;
    const body = Buffer.from(content);
    if (corrupt.has(path)) {
      body.writeUInt8(body.readUInt8(body.length - 1) ^ 1, body.length - 1);
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": body.length - from });
    const until = stalls.get(path);
    if (until === undefined) {
      response.end(body.subarray(from));
    } else {
      response.write(body.subarray(from, until));
    }
  }
}

function entry(path: string, content: Buffer): object {
  const size = content.length;
  const blob = createHash("sha1").update(`blob ${size}\0`).update(content).digest("hex");
  if (size < LARGE_BYTES) {
    return { type: "file", path, size, oid: blob };
  }
  return { type: "file", path, size, oid: "0".repeat(40), lfs: { oid: sha256(content), size } };
}
