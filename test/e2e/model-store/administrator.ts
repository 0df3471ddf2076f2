import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import { request } from "node:https";
import type { StoreKeys } from "../../../components/storage/scripts/credentials.ts";
import { signedHeaders } from "../../../components/storage/scripts/s3-signature.ts";

const ADMIN = "/minio/admin/v3";

/** Largest message that is one fragment of MinIO's encryption. */
const FRAGMENT_BYTES = 16 * 1024;

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** MinIO's administrator: looks into the store, and does what the provisioning Job does with `mc`. */
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

  async createBucket(bucket: string): Promise<void> {
    await this.send("PUT", `/${bucket}`);
  }

  /** A user who may do what the policy says, as `mc admin user add`, `policy create` and `policy attach` would. */
  async addUser(user: string, secretKey: string, policy: string): Promise<void> {
    await this.send("PUT", `${ADMIN}/add-canned-policy`, { name: user }, Buffer.from(policy));
    const request = Buffer.from(JSON.stringify({ secretKey, status: "enabled" }));
    await this.send("PUT", `${ADMIN}/add-user`, { accessKey: user }, encrypted(request, this.keys.secretAccessKey));
    const attachment = { policyName: user, userOrGroup: user, isGroup: "false" };
    await this.send("PUT", `${ADMIN}/set-user-or-group-policy`, attachment);
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

/**
 * A message to MinIO's admin API, which takes secrets only encrypted with the sender's secret key: a salt, the
 * algorithm (2: a PBKDF2 key for AES-256-GCM), a nonce, and the message as the last fragment of a stream. Each fragment
 * has its number after the nonce; number 0 only authenticates what comes.
 * Source: github.com/minio/madmin-go v3.0.109, encrypt.go, and github.com/secure-io/sio-go v0.3.1, read 2026-11-21.
 */
function encrypted(message: Buffer, password: string): Buffer {
  if (message.length > FRAGMENT_BYTES) throw new Error(`the message has more than ${FRAGMENT_BYTES} bytes`);
  const salt = randomBytes(32);
  const nonce = randomBytes(8);
  const key = pbkdf2Sync(password, salt, 8192, 32, "sha256");
  const cipher = (fragment: number) => createCipheriv("aes-256-gcm", key, Buffer.concat([nonce, uint32(fragment)]));
  const header = cipher(0);
  header.final();
  const last = cipher(1).setAAD(Buffer.concat([Buffer.from([0x80]), header.getAuthTag()]));
  const content = Buffer.concat([last.update(message), last.final(), last.getAuthTag()]);
  return Buffer.concat([salt, Buffer.from([0x02]), nonce, content]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
