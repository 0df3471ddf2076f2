/** What the store's pods ask the Kubernetes API, with their accounts. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { environmentVariable, FinalError, withRetries } from "./retry.ts";

/** Where the kubelet puts a pod's token, and the certificate of the API server's authority. */
const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sets keys of a ConfigMap that exists; its other keys stay.
 *
 * @param data values by key.
 * @throws FinalError when the account may not, or there is no such ConfigMap.
 */
export async function setConfigMapData(
  namespace: string,
  name: string,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const what = `ConfigMap ${namespace}/${name}`;
  await withRetries(what, async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
    refuseOthers(what, await ask("PATCH", path, { data }));
  });
}

/** The fields of a pod that are read here. */
export interface Pod {
  readonly spec: {
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly initContainerStatuses?: readonly {
      readonly name: string;
      readonly state?: { readonly terminated?: { readonly exitCode: number; readonly message?: string } };
    }[];
  };
}

/**
 * Pods that are bound to a node, as they are now: no resource version, so the answer is no cache's.
 *
 * @throws FinalError when the account may not.
 */
export async function podsOfNode(namespace: string, node: string): Promise<readonly Pod[]> {
  const selector = encodeURIComponent(`spec.nodeName=${node}`);
  const answer = await ask("GET", `/api/v1/namespaces/${namespace}/pods?fieldSelector=${selector}`);
  refuseOthers(`pods of ${namespace}`, answer);
  return (JSON.parse(answer.body) as { items: readonly Pod[] }).items;
}

/** @throws FinalError unless another attempt may succeed; Error then. */
function refuseOthers(what: string, { status, body }: Answer): void {
  if (status !== 200) {
    const message = `${what}: the Kubernetes API answers ${status}: ${body.slice(0, 500)}`;
    throw status >= 500 || status === 429 ? new Error(message) : new FinalError(message);
  }
}

/** Not by fetch: that takes its authorities from NODE_EXTRA_CA_CERTS, which is the model store's here. */
function ask(method: "GET" | "PATCH", path: string, change?: object): Promise<Answer> {
  const folder = process.env.SERVICE_ACCOUNT_FOLDER ?? ACCOUNT_FOLDER;
  const host = environmentVariable("KUBERNETES_SERVICE_HOST");
  const port = environmentVariable("KUBERNETES_SERVICE_PORT");
  const headers = {
    authorization: `Bearer ${readFileSync(join(folder, "token"), "utf8").trim()}`,
    ...(change && { "content-type": "application/merge-patch+json" }),
  };
  const ca = readFileSync(join(folder, "ca.crt"));
  return new Promise((resolve, reject) => {
    const outgoing = request({ method, host, port, path, headers, ca, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error("no answer within 30 seconds")));
    outgoing.once("error", reject);
    outgoing.end(change && JSON.stringify(change));
  });
}
