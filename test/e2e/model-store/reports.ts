import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MANIFEST_PIN } from "../../../components/storage/manifest-pin";
import type { KubernetesObject } from "../../../kubernetes/object";
import { type ApiAccess, ApiClient, type ApiResponse } from "../../../rehearsal/cluster/api-client";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { accessOf } from "../../../rehearsal/cluster/kubeconfig";
import { waitFor } from "../../../rehearsal/cluster/wait";
import type { RenderedPlatform } from "./platform";

const STORE_NAMESPACE = "model-store";

/** The API server that sync Jobs report to, with the objects and rights that the components render for it. */
export class Reports {
  private readonly folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
  private readonly clients = new Map<string, ApiClient>();

  private constructor(
    private readonly plane: ControlPlane,
    private readonly access: Omit<ApiAccess, "token">,
  ) {}

  static async start(platform: RenderedPlatform, models: readonly string[]): Promise<Reports> {
    const plane = await ControlPlane.start();
    const reports = new Reports(plane, accessOf(readFileSync(plane.kubeconfig, "utf8")));
    try {
      for (const name of [STORE_NAMESPACE, ...models.map((model) => `model-${model}`)]) {
        await plane.client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      }
      for (const model of models) {
        for (const object of platform.pinObjects(model)) {
          await plane.client.apply(object);
        }
        await reports.logIn(model);
      }
      return reports;
    } catch (error) {
      await reports.stop();
      throw error;
    }
  }

  /** What the kubelet gives a pod of the model's sync Job, or of another that has logged in. */
  variables(model: string): Readonly<Record<string, string>> {
    return {
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_SERVICE_PORT: String(this.access.port),
      SERVICE_ACCOUNT_FOLDER: join(this.folder, model),
    };
  }

  /** What was reported for a model, as the kubelet mounts it: files by path in the engine's init container. */
  async mounted(model: string): Promise<Readonly<Record<string, string>>> {
    const { data = {} } = (await this.plane.client.get(pinOf(model))) as { readonly data?: Record<string, string> };
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [`/etc/${MANIFEST_PIN}/${key}`, text]));
  }

  /** What the API server answers to a request of the model's sync Job. */
  ask(model: string, method: string, path: string, change?: object): Promise<ApiResponse> {
    const client = this.clients.get(model);
    if (client === undefined) {
      throw new Error(`no sync Job of ${model} is logged in`);
    }
    return client.request(method, path, change && JSON.stringify(change), "application/merge-patch+json");
  }

  async stop(): Promise<void> {
    for (const client of this.clients.values()) {
      client.close();
    }
    await this.plane.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Of the API server, with all rights. */
  get administrator(): ApiClient {
    return this.plane.client;
  }

  /** What the kubelet gives a pod with this account. @param of names its folder. */
  async logInAs(of: string, namespace: string, account: string): Promise<Readonly<Record<string, string>>> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } };
    const { body } = await this.plane.client.request("POST", path, JSON.stringify(request));
    const { token } = (body as { readonly status: { readonly token: string } }).status;
    this.clients.set(of, new ApiClient({ ...this.access, token }));
    const folder = join(this.folder, of);
    mkdirSync(folder);
    writeFileSync(join(folder, "token"), token);
    writeFileSync(join(folder, "ca.crt"), this.access.ca);
    return this.variables(of);
  }

  private async logIn(model: string): Promise<void> {
    await this.logInAs(model, STORE_NAMESPACE, `sync-${model}`);
    // The server's authorizer learns of a binding a moment after it was made.
    const pin = `/api/v1/namespaces/model-${model}/configmaps/${MANIFEST_PIN}?dryRun=All`;
    const allowed = async () => ((await this.ask(model, "PATCH", pin, {})).status === 200 ? true : undefined);
    await waitFor(`the right of sync-${model}`, allowed, 20);
  }
}

function pinOf(model: string): KubernetesObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: MANIFEST_PIN, namespace: `model-${model}` } };
}
