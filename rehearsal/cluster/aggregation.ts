/**
 * Servers that answer for an API group in the API server's place, as adapters of metrics do.
 *
 * Flags as of kubernetes 1.36 (staging/src/k8s.io/apiserver/pkg/server/options/authentication.go), tried on 2026-11-23. Without
 * `--client-ca-file` an adapter stops at "missing content for CA bundle". Not `--enable-aggregator-routing`: it looks for endpoints, which a
 * Service of type ExternalName has none of.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "./api-client";
import { Authority } from "./authority";
import { waitFor } from "./wait";

/** Who the API server is to these servers. The same authority could sign others, so its name is asked for. */
const AGGREGATOR = "aggregator";

/** What makes an API server hand calls on: its own certificate for them, and the headers that say who called it. */
export function aggregationArgs(folder: string): string[] {
  const authority = new Authority();
  try {
    const issued = authority.issue([`DNS:${AGGREGATOR}`], { commonName: AGGREGATOR, uses: ["clientAuth"] });
    const file = (key: keyof typeof issued): string => {
      const path = join(folder, `${AGGREGATOR}-${key}`);
      writeFileSync(path, issued[key], { mode: 0o600 });
      return path;
    };
    const signedBy = file("ca.crt");
    return [
      `--client-ca-file=${signedBy}`,
      `--requestheader-client-ca-file=${signedBy}`,
      `--requestheader-allowed-names=${AGGREGATOR}`,
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      `--proxy-client-cert-file=${file("tls.crt")}`,
      `--proxy-client-key-file=${file("tls.key")}`,
    ];
  } finally {
    authority.discard();
  }
}

/** The Service by which a cluster finds a server, and where the server is on this machine. */
export interface AggregatedServer {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
  /** PEM of the authority that signed its certificate for `servingName`. */
  readonly ca: string;
}

/** The name that the API server asks a server to prove. */
export function servingName({ service, namespace }: Pick<AggregatedServer, "service" | "namespace">): string {
  return `${service}.${namespace}.svc`;
}

/**
 * Has a server of this machine answer for a version of an API group, and waits until it does. The namespace must be there.
 *
 * @param api such as `v1beta1.external.metrics.k8s.io`.
 * @throws Error with what the API server says of it.
 */
export async function aggregate(
  client: ApiClient,
  api: string,
  { service: name, namespace, port, ca }: AggregatedServer,
): Promise<void> {
  const [version, ...group] = api.split(".");
  await client.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  });
  const registration = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: api },
    spec: {
      group: group.join("."),
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name, namespace, port },
      caBundle: Buffer.from(ca).toString("base64"),
    },
  };
  await client.apply(registration);
  let said = "nothing yet";
  await waitFor(`${api} to be served`, async () => {
    const { status } = ((await client.get(registration)) ?? {}) as {
      readonly status?: { readonly conditions?: Condition[] };
    };
    const available = status?.conditions?.find(({ type }) => type === "Available");
    said = available?.message ?? said;
    return available?.status === "True" ? true : undefined;
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${said}`);
  });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}
