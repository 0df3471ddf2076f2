/** Minimal Kubernetes API client with the pod's account. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";

/** Where the kubelet mounts the pod's token and CA certificate. */
const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
const DEADLINE_MS = 30_000;
const ATTEMPTS = 5;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** An unexpected answer. */
export class ApiError extends Error {
  readonly status: number;

  constructor(what: string, { status, body }: Answer) {
    const message = isRecord(body) && typeof body.message === "string" ? body.message : JSON.stringify(body);
    super(`${what}: the Kubernetes API answers ${status}: ${message.slice(0, 500)}`);
    this.status = status;
  }
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Calls the API; PATCH sends JSON Patch. Retries if the server is unavailable or busy.
 *
 * @param expected statuses besides 2xx that the caller handles.
 * @throws ApiError for any other.
 */
export async function call(
  method: Method,
  path: string,
  body?: object,
  expected: readonly number[] = [],
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await once(method, path, body).catch((error: unknown) => {
      return { status: 0, body: { message: error instanceof Error ? error.message : String(error) } };
    });
    if ((answer.status >= 200 && answer.status < 300) || expected.includes(answer.status)) {
      return answer;
    }
    const mayPass = answer.status === 0 || answer.status === 429 || answer.status >= 500;
    if (!mayPass || attempt === ATTEMPTS) {
      throw new ApiError(`${method} ${path}`, answer);
    }
    await pause(Math.min(500 * 2 ** attempt, 5000));
  }
}

function once(method: Method, path: string, body: object | undefined): Promise<Answer> {
  const folder = process.env.SERVICE_ACCOUNT_FOLDER ?? ACCOUNT_FOLDER;
  const text = body && JSON.stringify(body);
  const headers = {
    // Node omits the length of DELETE bodies; the server would read the body as the next request.
    ...(text !== undefined && { "content-length": String(Buffer.byteLength(text)) }),
    // Read per call: the kubelet renews it.
    authorization: `Bearer ${readFileSync(join(folder, "token"), "utf8").trim()}`,
    accept: "application/json",
    "content-type": method === "PATCH" ? "application/json-patch+json" : "application/json",
  };
  const ca = readFileSync(join(folder, "ca.crt"));
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  return new Promise((resolve, reject) => {
    const outgoing = request({ method, host, port, path, headers, ca, timeout: DEADLINE_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) });
      });
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer within ${DEADLINE_MS / 1000} seconds`)));
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}

/** `a=b,c=d` for a query. */
export function selector(labels: Readonly<Record<string, string>>): string {
  return encodeURIComponent(
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
  );
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
