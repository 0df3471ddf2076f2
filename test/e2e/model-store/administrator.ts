import { request } from "node:https";
import type { StoreKeys } from "../../../components/storage/scripts/credentials.ts";
import { signedHeaders } from "../../../components/storage/scripts/s3-signature.ts";

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** The store's administrator, to look into the store. */
export class Administrator {
  constructor(
    private readonly endpoint: string,
    private readonly authority: string,
    private readonly keys: StoreKeys,
  ) {}

  /** Whether the server answers its readiness probe. */
  async isReady(): Promise<boolean> {
    await this.send("GET", "/minio/health/ready");
    return true;
  }

  /** Keys below a prefix, sorted; the tests have fewer than a page of them. */
  async list(bucket: string, prefix: string): Promise<string[]> {
    const xml = String((await this.send("GET", `/${bucket}`, { "list-type": "2", prefix })).body);
    return [...xml.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = ""]) => key).sort();
  }

  async get(bucket: string, key: string): Promise<Buffer> {
    return (await this.send("GET", `/${bucket}/${key}`)).body;
  }

  async put(bucket: string, key: string, body: Uint8Array): Promise<void> {
    await this.send("PUT", `/${bucket}/${key}`, {}, body);
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.send("DELETE", `/${bucket}/${key}`);
  }

  /** @throws Error with the server's answer when that is no success. */
  private async send(
    method: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
    body: Uint8Array = new Uint8Array(),
  ): Promise<Answer> {
    const url = new URL(`${this.endpoint}${path}?${new URLSearchParams(query)}`);
    const length = { "content-length": String(body.byteLength) };
    const key = { ...this.keys, region: "us-east-1" };
    const headers = signedHeaders({ method, url, headers: length, body }, key, new Date());
    const answer = await new Promise<Answer>((resolve, reject) => {
      const outgoing = request(url, { method, headers, ca: this.authority }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      outgoing.once("error", reject);
      outgoing.end(body);
    });
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${url.pathname}: ${answer.status} ${answer.body}`);
    }
    return answer;
  }
}
