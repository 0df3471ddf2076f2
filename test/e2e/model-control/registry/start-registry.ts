import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelImage, modelImage } from "./image";
import { tinyLlama } from "./tiny-llama";

/** How the registry misbehaves. Change it at any time: it holds for what is sent from then on. */
export interface Misbehaviour {
  /** Bytes per second of each download of a blob; unlimited when absent. */
  bytesPerSecond?: number;
  /** Downloads of blobs that are cut off, each half-way of what it asked for. Counts down. */
  breaks: number;
  /** Status of answers to requests for a manifest, instead of the manifest. */
  manifestStatus?: number;
  /** Status of answers to downloads of blobs, instead of the blob. */
  blobStatus?: number;
  /** Sends other bytes than the digest promises. */
  corrupt: boolean;
}

const CHUNKS_PER_SECOND = 20;
const MANIFEST = /^\/v2\/(?<repository>.+)\/manifests\/(?<tag>[^/]+)$/;
const BLOB = /^\/v2\/.+\/blobs\/(?<digest>[^/]+)$/;
const DOWNLOAD = /^\/download\/(?<digest>[^/]+)$/;

/**
 * A model registry on a loopback port, over plain HTTP, that serves what `ollama pull` asks for: manifests, and blobs by
 * range from "another host", as registry.ollama.ai does.
 */
export class Registry {
  readonly misbehaviour: Misbehaviour = { breaks: 0, corrupt: false };
  /** Method and path of every request until now, with its range where it had one. */
  readonly requests: string[] = [];
  private readonly images = new Map<string, ModelImage>();

  private constructor(
    private readonly server: Server,
    /** `127.0.0.1:PORT`, as model names begin. */
    readonly host: string,
  ) {}

  static async start(): Promise<Registry> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") {
      throw new Error("the listening socket has no port");
    }
    const registry = new Registry(server, `127.0.0.1:${address.port}`);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      registry.answer(request, response).catch(() => response.destroy());
    });
    return registry;
  }

  /**
   * Offers a GGUF file.
   *
   * @param model repository and tag, such as `tiny:latest`.
   * @param license one more part, which comes after the weights.
   * @returns the full name to pull.
   */
  publish(model: string, weights: Buffer = tinyLlama(), license?: Buffer): string {
    this.images.set(`library/${model}`, modelImage(weights, license));
    return `${this.host}/library/${model}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url ?? "/");
    const { range } = request.headers;
    this.requests.push(`${request.method} ${path}${range === undefined ? "" : ` ${range}`}`);
    const manifest = MANIFEST.exec(path)?.groups;
    if (manifest !== undefined) {
      return this.sendManifest(`${manifest.repository}:${manifest.tag}`, response);
    }
    const digest = (BLOB.exec(path) ?? DOWNLOAD.exec(path))?.groups?.digest;
    const blob = [...this.images.values()].map(({ blobs }) => blobs.get(digest ?? "")).find((found) => found);
    if (blob === undefined) {
      return refuse(response, 404);
    }
    if (request.method === "HEAD") {
      return void response.writeHead(200, { "content-length": blob.length }).end();
    }
    if (BLOB.test(path)) {
      // Ollama wants a redirect to another host name, and takes the ranges from there.
      const port = this.host.slice(this.host.lastIndexOf(":"));
      return void response.writeHead(307, { location: `http://localhost${port}/download/${digest}` }).end();
    }
    await this.sendBlob(blob, range, response);
  }

  private sendManifest(name: string, response: ServerResponse): void {
    const image = this.images.get(name);
    const status = this.misbehaviour.manifestStatus ?? (image === undefined ? 404 : 200);
    if (image === undefined || status !== 200) {
      refuse(response, status);
    } else {
      response.writeHead(200, { "content-type": "application/vnd.docker.distribution.manifest.v2+json" });
      response.end(image.manifest);
    }
  }

  private async sendBlob(blob: Buffer, range: string | undefined, response: ServerResponse): Promise<void> {
    const { misbehaviour } = this;
    if (misbehaviour.blobStatus !== undefined) {
      return refuse(response, misbehaviour.blobStatus);
    }
    const wanted = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
    const first = wanted === null ? 0 : Number(wanted[1]);
    const last = wanted === null ? blob.length - 1 : Math.min(Number(wanted[2]), blob.length - 1);
    if (first > last) {
      return refuse(response, 416);
    }
    const part = Buffer.from(blob.subarray(first, last + 1));
    if (misbehaviour.corrupt) {
      part.reverse();
    }
    response.writeHead(wanted === null ? 200 : 206, {
      "content-length": part.length,
      "content-range": `bytes ${first}-${last}/${blob.length}`,
    });
    const breaks = misbehaviour.breaks > 0 && part.length > 1;
    if (breaks) {
      misbehaviour.breaks -= 1;
    }
    const end = breaks ? Math.floor(part.length / 2) : part.length;
    for (let sent = 0; sent < end && !response.destroyed; ) {
      const rate = misbehaviour.bytesPerSecond;
      const next = rate === undefined ? end : Math.min(end, sent + Math.max(1, Math.round(rate / CHUNKS_PER_SECOND)));
      response.write(part.subarray(sent, next));
      sent = next;
      if (rate !== undefined && sent < end) {
        await sleep(1000 / CHUNKS_PER_SECOND);
      }
    }
    if (!breaks) {
      return void response.end();
    }
    // What was written must leave before the connection is cut, or the client resumes from nothing.
    await sleep(100);
    response.destroy();
  }
}

/** Starts a registry; `registry.publish("tiny:latest")` gives it a model. */
export function startRegistry(): Promise<Registry> {
  return Registry.start();
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ errors: [{ code: "TEST", message: `this test registry answers ${status}` }] }));
}
