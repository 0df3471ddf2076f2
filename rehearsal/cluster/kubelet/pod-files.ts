import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { KubernetesObject } from "../../../kubernetes/object";
import type { ControlPlane } from "../control-plane";
import type { Container, Projection, Volume } from "./pod-spec";

/** Default token lifetime in seconds. The API server requires at least ten minutes. */
const TOKEN_SECONDS = 3600;

interface Item {
  readonly key: string;
  readonly path: string;
}

/** Volume files and variables from API objects. */
export class PodFiles {
  constructor(
    private readonly plane: ControlPlane,
    private readonly pod: KubernetesObject,
    /** `status.podIP`, known only to the kubelet. */
    private readonly address: string,
    private readonly serviceAccount: string,
  ) {}

  /**
   * Writes a volume's files into a folder, removing old ones.
   *
   * @throws Error for a volume other than emptyDir, claims, ConfigMaps, Secrets, tokens or fields.
   */
  async write(volume: Volume, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    if (volume.emptyDir !== undefined || volume.persistentVolumeClaim !== undefined) {
      return;
    }
    for (const [path, content] of await this.filesOf(volume)) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      // Atomic: readers see the old or new content.
      writeFileSync(`${file}.new`, content);
      renameSync(`${file}.new`, file);
    }
  }

  private async filesOf({ name, configMap, secret, projected }: Volume): Promise<Map<string, Buffer>> {
    if (configMap !== undefined) {
      return this.keys("ConfigMap", configMap.name, configMap.items, configMap.optional);
    }
    if (secret !== undefined) {
      return this.keys("Secret", secret.secretName, secret.items, secret.optional);
    }
    if (projected !== undefined) {
      const parts = await Promise.all(projected.sources.map((source) => this.projection(source)));
      return new Map(parts.flatMap((part) => [...part]));
    }
    throw new Error(`pod ${this.pod.metadata.name}: volume ${name} is of a kind that is not supported here`);
  }

  private async projection(source: Projection): Promise<Map<string, Buffer>> {
    const { configMap, secret, serviceAccountToken, downwardAPI } = source;
    if (configMap !== undefined) {
      return this.keys("ConfigMap", configMap.name, configMap.items);
    }
    if (secret !== undefined) {
      return this.keys("Secret", secret.name, secret.items);
    }
    if (serviceAccountToken !== undefined) {
      const { path, audience, expirationSeconds = TOKEN_SECONDS } = serviceAccountToken;
      return new Map([[path, Buffer.from(await this.token(audience, expirationSeconds))]]);
    }
    const items = downwardAPI?.items ?? [];
    return new Map(items.map(({ path, fieldRef }) => [path, Buffer.from(this.field(fieldRef?.fieldPath ?? ""))]));
  }

  private async keys(
    kind: "ConfigMap" | "Secret",
    name: string,
    items?: readonly Item[],
    optional = false,
  ): Promise<Map<string, Buffer>> {
    // Created by the controller manager, which does not run here.
    if (kind === "ConfigMap" && name === "kube-root-ca.crt") {
      return new Map([["ca.crt", readFileSync(this.plane.certificate.certificate)]]);
    }
    const found = await this.plane.client.get(this.object(kind, name));
    if (found === undefined && !optional) {
      throw new Error(`pod ${this.pod.metadata.name}: there is no ${kind} ${this.pod.metadata.namespace}/${name}`);
    }
    const data = (found?.data ?? {}) as Readonly<Record<string, string>>;
    const encoding = kind === "Secret" ? "base64" : "utf8";
    const all = new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, encoding)]));
    return items === undefined ? all : new Map(items.map(({ key, path }) => [path, all.get(key) ?? Buffer.alloc(0)]));
  }

  /** Token bound to this pod, as from the kubelet. */
  private async token(audience: string | undefined, expirationSeconds: number): Promise<string> {
    const { name, namespace, uid } = this.pod.metadata;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${this.serviceAccount}/token`;
    const spec = {
      ...(audience !== undefined && { audiences: [audience] }),
      expirationSeconds,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    };
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const { status, body } = await this.plane.client.request("POST", path, JSON.stringify(request));
    const { token } = (body as { readonly status?: { readonly token?: string } }).status ?? {};
    if (token === undefined) {
      throw new Error(`a token of ${namespace}/${this.serviceAccount}: ${status} ${JSON.stringify(body)}`);
    }
    return token;
  }

  async environment({ env, resources }: Container): Promise<Record<string, string>> {
    const variables: Record<string, string> = {};
    for (const { name, value, valueFrom } of env) {
      if (valueFrom === undefined) {
        variables[name] = expand(value, variables);
      } else if (valueFrom.fieldRef !== undefined) {
        variables[name] = this.field(valueFrom.fieldRef.fieldPath);
      } else if (valueFrom.resourceFieldRef !== undefined) {
        variables[name] = String(resources?.limits?.[valueFrom.resourceFieldRef.resource.replace("limits.", "")] ?? "");
      } else {
        const kind = valueFrom.secretKeyRef === undefined ? "ConfigMap" : "Secret";
        const from = valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef;
        const all = from && (await this.keys(kind, from.name, undefined, from.optional));
        variables[name] = all?.get(from?.key ?? "")?.toString("utf8") ?? "";
      }
    }
    return variables;
  }

  private field(path: string): string {
    const { metadata } = this.pod;
    const known: Readonly<Record<string, string | undefined>> = {
      "metadata.name": metadata.name,
      "metadata.namespace": metadata.namespace,
      "metadata.uid": metadata.uid,
      "status.podIP": this.address,
      "status.hostIP": this.address,
      "spec.nodeName": "",
      "spec.serviceAccountName": this.serviceAccount,
    };
    const annotation = /^metadata\.(?<of>annotations|labels)\['(?<key>.+)'\]$/.exec(path)?.groups;
    const value = annotation
      ? (metadata[annotation.of as "annotations" | "labels"]?.[annotation.key ?? ""] ?? "")
      : known[path];
    if (value === undefined) {
      throw new Error(`pod ${metadata.name}: field ${path} is not known here`);
    }
    return value;
  }

  private object(kind: string, name: string): KubernetesObject {
    return { apiVersion: "v1", kind, metadata: { name, namespace: this.pod.metadata.namespace } };
  }
}

/** Expands `$(NAME)` as the kubelet does; unknown names stay. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\((?<name>[\w.-]+)\)/g, (found, name?: string) => {
    return name === undefined ? "$" : (variables[name] ?? found);
  });
}
