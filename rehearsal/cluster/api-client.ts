import { Agent, request } from "node:https";
import { describeObject, type KubernetesObject } from "../../kubernetes/object";

export interface ApiAccess {
  /** IPv4 address. @default "127.0.0.1" */
  readonly address?: string;
  readonly port: number;
  /** PEM of the authority for the server's certificate. */
  readonly ca: string;
  readonly token: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
  /** Texts of `Warning` headers: deprecated APIs, Pod Security, unknown fields. */
  readonly warnings: readonly string[];
}

export class ApiError extends Error {
  constructor(
    what: string,
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`${what}: ${status} ${(body as { message?: string } | undefined)?.message ?? JSON.stringify(body)}`);
  }
}

export interface ApplyOptions {
  readonly dryRun?: boolean;
  /** @default "e2e" */
  readonly fieldManager?: string;
  /**
   * Takes over fields that another manager set differently; otherwise that is an error.
   * @default true
   */
  readonly force?: boolean;
}

export interface Applied {
  readonly object: KubernetesObject;
  readonly warnings: readonly string[];
}

interface ResourceKind {
  readonly name: string;
  readonly namespaced: boolean;
}

/** Client of an API server, as administrator. */
export class ApiClient {
  private readonly agent: Agent;
  private readonly kinds = new Map<string, ResourceKind>();

  constructor(private readonly access: ApiAccess) {
    this.agent = new Agent({ keepAlive: true, maxSockets: 16, ca: access.ca });
  }

  /** Server-side apply with strict validation: unknown or duplicate fields are errors. */
  async apply(object: KubernetesObject, options: ApplyOptions = {}): Promise<Applied> {
    const query = new URLSearchParams({
      fieldManager: options.fieldManager ?? "e2e",
      fieldValidation: "Strict",
      force: String(options.force ?? true),
      ...(options.dryRun && { dryRun: "All" }),
    });
    const path = `${await this.path(object)}?${query}`;
    const response = await this.request("PATCH", path, JSON.stringify(object), "application/apply-patch+yaml");
    return { object: succeeded(`apply ${describeObject(object)}`, response), warnings: response.warnings };
  }

  /**
   * Creates an object; leaves an existing one unchanged.
   *
   * @returns whether it was created.
   */
  async create(object: KubernetesObject, options: Pick<ApplyOptions, "fieldManager"> = {}): Promise<boolean> {
    const query = new URLSearchParams({ fieldManager: options.fieldManager ?? "e2e", fieldValidation: "Strict" });
    const path = await this.path(object);
    const collection = path.slice(0, path.lastIndexOf("/"));
    const response = await this.request("POST", `${collection}?${query}`, JSON.stringify(object));
    if (response.status === 409) {
      return false;
    }
    succeeded(`create ${describeObject(object)}`, response);
    return true;
  }

  /** Current object of this kind and name, or undefined. */
  async get(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    const response = await this.request("GET", await this.path(object));
    return response.status === 404 ? undefined : succeeded(`get ${describeObject(object)}`, response);
  }

  async list(apiVersion: string, kind: string): Promise<KubernetesObject[]> {
    const { name } = await this.kind(apiVersion, kind);
    const response = await this.request("GET", `${groupPath(apiVersion)}/${name}`);
    const { items } = succeeded(`list ${kind}`, response) as unknown as { readonly items: KubernetesObject[] };
    return items.map((item) => ({ ...item, apiVersion, kind }));
  }

  /** Merge patch (RFC 7396): null removes a field, a list replaces the list. */
  async patch(object: KubernetesObject, change: object): Promise<KubernetesObject> {
    const body = JSON.stringify(change);
    const response = await this.request("PATCH", await this.path(object), body, "application/merge-patch+json");
    return succeeded(`change ${describeObject(object)}`, response);
  }

  /**
   * Deletes an object and its dependents. Accepts a missing object.
   *
   * @param gracePeriodSeconds 0 removes a pod at once, without its kubelet.
   * @default the object's grace period
   */
  async delete(object: KubernetesObject, gracePeriodSeconds?: number): Promise<void> {
    const query = new URLSearchParams({
      propagationPolicy: "Background",
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: String(gracePeriodSeconds) }),
    });
    const response = await this.request("DELETE", `${await this.path(object)}?${query}`);
    if (response.status !== 404) {
      succeeded(`delete ${describeObject(object)}`, response);
    }
  }

  /**
   * Evicts a pod, as a drain does. Returns any answer: 429 if a disruption budget refuses, 404 if
   * the pod is gone.
   */
  async evict(pod: KubernetesObject): Promise<ApiResponse> {
    const { name, namespace, uid } = pod.metadata;
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name, namespace },
      // Protects a new pod of the same name.
      deleteOptions: { preconditions: { uid } },
    };
    return this.request("POST", `${await this.path(pod)}/eviction`, JSON.stringify(eviction));
  }

  async request(method: string, path: string, body?: string, contentType = "application/json"): Promise<ApiResponse> {
    const headers = {
      Authorization: `Bearer ${this.access.token}`,
      Accept: "application/json",
      ...(body !== undefined && { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const { address: host = "127.0.0.1", port } = this.access;
      const options = { host, port, path, method, headers, agent: this.agent };
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            body: parsed(text),
            warnings: (response.headersDistinct.warning ?? []).map(warningText),
          });
        });
      });
      sent.once("error", (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection that was about to be reused. All requests here can
        // be repeated.
        if (sent.reusedSocket && error.code === "ECONNRESET") {
          resolve(this.request(method, path, body, contentType));
        } else {
          reject(error);
        }
      });
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }

  async path({ apiVersion, kind, metadata }: KubernetesObject): Promise<string> {
    const { name, namespaced } = await this.kind(apiVersion, kind);
    const namespace = namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
    return `${groupPath(apiVersion)}${namespace}/${name}/${metadata.name}`;
  }

  private async kind(apiVersion: string, kind: string): Promise<ResourceKind> {
    const key = `${apiVersion}/${kind}`;
    const known = this.kinds.get(key);
    if (known !== undefined) {
      return known;
    }
    const response = await this.request("GET", groupPath(apiVersion));
    if (response.status === 200) {
      const { resources } = response.body as { readonly resources: (ResourceKind & { readonly kind: string })[] };
      for (const resource of resources) {
        // Subresources such as "pods/status" have their parent's kind.
        if (!resource.name.includes("/")) {
          this.kinds.set(`${apiVersion}/${resource.kind}`, resource);
        }
      }
    }
    const found = this.kinds.get(key);
    if (found === undefined) {
      throw new ApiError(`no matches for kind "${kind}" in version "${apiVersion}"`, response.status, response.body);
    }
    return found;
  }
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function succeeded(what: string, { status, body }: ApiResponse): KubernetesObject {
  if (status > 299) {
    throw new ApiError(what, status, body);
  }
  return body as KubernetesObject;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `299 - "text"`, of RFC 7234. */
function warningText(header: string): string {
  return (/^\d{3} \S+ "(?<text>.*)"$/s.exec(header)?.groups?.text ?? header).replaceAll('\\"', '"');
}
