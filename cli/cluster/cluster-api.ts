import http from "node:http";
import https from "node:https";
import { parseJson } from "../../names/json-text";
import { visible } from "../../names/visible";
import { deadline } from "../deadline";
import { execCredential } from "./exec-credential";
import { NotAsked } from "./failure";
import type { ClusterAddress, ClusterContext, ClusterLogin } from "./kubeconfig";

export interface Limits {
  /** One request with its whole answer. */
  readonly requestSeconds: number;
  /** One answer. A list of all pods of a large cluster stays below. */
  readonly answerBytes: number;
  /** Pages of one list, 500 objects each. */
  readonly pages: number;
}

export const LIMITS: Limits = { requestSeconds: 10, answerBytes: 32 * 1024 * 1024, pages: 20 };

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A refused question, or an unexpected answer. */
export class Refused extends Error {
  constructor(
    what: string,
    readonly status: number,
    said: string,
  ) {
    super(`${what}: ${status}${said === "" ? "" : ` ${said}`}`);
  }
}

interface ListBody {
  readonly metadata?: { readonly continue?: string };
  /** Null: Go encodes empty metadata lists so. */
  readonly items: readonly unknown[] | null;
}

/** Metadata only: definitions are megabytes. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * Read-only requests to an API server, limited in time and size, because server and network are
 * untrusted.
 */
export class ClusterApi {
  private readonly agent: http.Agent | https.Agent;

  private constructor(
    private readonly address: ClusterAddress,
    private readonly login: ClusterLogin,
    private readonly limits: Limits,
    private readonly ended: AbortSignal | undefined,
  ) {
    const { ca, serverName, insecure } = address;
    const { certificate, key } = login;
    const shared = { keepAlive: true, maxSockets: 8 };
    this.agent = address.server.startsWith("https:")
      ? new https.Agent({
          ...shared,
          rejectUnauthorized: !insecure,
          ...(ca !== undefined && { ca }),
          ...(serverName !== undefined && { servername: serverName }),
          ...(certificate !== undefined && { cert: certificate }),
          ...(key !== undefined && { key }),
        })
      : new http.Agent(shared);
  }

  /**
   * @param ended aborts all current and later requests. @default never
   * @throws NotAsked where the kubeconfig's plugin gives no credentials.
   */
  static async open(
    { address, login }: ClusterContext,
    limits: Limits = LIMITS,
    ended?: AbortSignal,
  ): Promise<ClusterApi> {
    const { exec } = login;
    const given = exec === undefined ? {} : await execCredential(exec, address, limits.requestSeconds * 3);
    try {
      return new ClusterApi(address, { ...login, ...given }, limits, ended);
    } catch {
      // OpenSSL's message about a key or certificate is no help and might quote it.
      throw new NotAsked("the kubeconfig's certificate or key is none", ["make it anew with the tool that wrote it"]);
    }
  }

  /** @throws NotAsked without a complete answer. */
  async get(path: string, accept = "application/json"): Promise<ApiAnswer> {
    return this.request("GET", path, accept);
  }

  /** A text such as a log. @throws NotAsked without a complete answer. */
  async getText(path: string): Promise<{ readonly status: number; readonly text: string }> {
    return this.exchange("GET", path, "*/*");
  }

  /** All pages. @throws Refused @throws NotAsked */
  async list(path: string, options: { readonly metadataOnly?: boolean } = {}): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let next: string | undefined;
    for (let page = 0; page < this.limits.pages; page += 1) {
      const query = new URLSearchParams({ limit: "500", ...(next !== undefined && { continue: next }) });
      const target = `${path}${path.includes("?") ? "&" : "?"}${query}`;
      const { status, body } = await this.get(target, options.metadataOnly ? METADATA_ONLY : undefined);
      if (status !== 200 || !isList(body)) {
        throw new Refused(`GET ${path}`, status, status === 200 ? "and no list" : messageIn(body));
      }
      items.push(...(body.items ?? []));
      next = body.metadata?.continue || undefined;
      if (next === undefined) {
        return items;
      }
    }
    throw new Refused(`GET ${path}`, 200, `more than ${this.limits.pages * 500} objects`);
  }

  /** Whether the user may do this in all namespaces. @throws Refused @throws NotAsked */
  async may(verb: string, group: string, resource: string): Promise<boolean> {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, group, resource } },
    };
    const { status, body } = await this.request("POST", path, "application/json", JSON.stringify(review));
    const allowed = (body as { readonly status?: { readonly allowed?: unknown } } | null)?.status?.allowed;
    if (status !== 201 || typeof allowed !== "boolean") {
      throw new Refused("POST selfsubjectaccessreviews", status, messageIn(body));
    }
    return allowed;
  }

  close(): void {
    this.agent.destroy();
  }

  private async request(method: string, path: string, accept: string, content?: string): Promise<ApiAnswer> {
    const { status, text } = await this.exchange(method, path, accept, content);
    return { status, body: parseJson(text) };
  }

  private async exchange(
    method: string,
    path: string,
    accept: string,
    content?: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const url = new URL(`${this.address.server}${path}`);
    const late = deadline(this.limits.requestSeconds);
    const signal = this.ended === undefined ? late.signal : AbortSignal.any([late.signal, this.ended]);
    const { token, basic } = this.login;
    const options = {
      method,
      agent: this.agent,
      signal,
      headers: {
        accept,
        "user-agent": "inference-stacks",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(token === undefined && basic && { authorization: `Basic ${encoded(basic)}` }),
        ...(content !== undefined && { "content-type": "application/json" }),
      },
    };
    try {
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const request =
          url.protocol === "https:" ? https.request(url, options, resolve) : http.request(url, options, resolve);
        request.once("error", reject);
        request.end(content);
      });
      return { status: response.statusCode ?? 0, text: await this.textOf(response) };
    } catch (error) {
      throw error instanceof NotAsked
        ? error
        : notAsked(error, url, late.signal.aborted ? this.limits.requestSeconds : undefined);
    } finally {
      late.stop();
    }
  }

  private async textOf(response: http.IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > this.limits.answerBytes) {
        response.destroy();
        throw new NotAsked(`an answer of the API server is longer than ${this.limits.answerBytes} bytes`, [
          "whether this is the API server, and not a proxy or login page",
        ]);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }
}

function encoded({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

function isList(body: unknown): body is ListBody {
  return (
    typeof body === "object" && body !== null && "items" in body && (body.items === null || Array.isArray(body.items))
  );
}

/** Message of a Status; empty for others. */
function messageIn(body: unknown): string {
  const message = (body as { readonly message?: unknown } | null)?.message;
  return typeof message === "string" ? visible(message.slice(0, 300)) : "";
}

const UNTRUSTED = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
];
const UNREACHABLE = ["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"];
const FROM_INSIDE =
  "where its endpoint is private, run this from a machine that reaches it: inside the network, or through a VPN or bastion";

function notAsked(error: unknown, url: URL, timedOutAfter: number | undefined): NotAsked {
  const failure = firstOf(error);
  const code = failure.code ?? "";
  if (timedOutAfter !== undefined || UNREACHABLE.includes(code)) {
    const how =
      timedOutAfter === undefined ? `cannot be reached (${code})` : `gives no answer within ${timedOutAfter} s`;
    return new NotAsked(`${url.host} ${how}`, [
      FROM_INSIDE,
      "otherwise a firewall between here and there, or the server's load",
    ]);
  }
  if (code === "ECONNREFUSED") {
    return new NotAsked(`nothing listens at ${url.host}`, [
      "start the cluster, or choose another context: kubectl config get-contexts",
    ]);
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new NotAsked(`the name ${url.hostname} does not resolve`, [
      "whether the cluster still exists: the kubeconfig may be of an older one",
      FROM_INSIDE,
    ]);
  }
  if (UNTRUSTED.includes(code) || code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "CERT_HAS_EXPIRED") {
    return new NotAsked(`the certificate of ${url.host} is not one that the kubeconfig trusts (${code})`, [
      "make the kubeconfig anew: it may be of an older cluster, or a proxy is in between",
    ]);
  }
  return new NotAsked(`${url.host}: ${code === "" ? failure.message.slice(0, 200) : code}`, [
    "whether the address in the kubeconfig is that of an API server",
  ]);
}

/** A name with several addresses fails with one error each; the first represents all. */
function firstOf(error: unknown): NodeJS.ErrnoException {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return firstOf(error.errors[0]);
  }
  return error instanceof Error ? error : new Error(String(error));
}
