/**
 * Aggregated API servers, such as metrics adapters.
 *
 * Flags of kubernetes 1.36 (staging/src/k8s.io/apiserver/pkg/server/options/authentication.go),
 * tried on 2026-11-23. Without `--client-ca-file` an adapter stops at "missing content for CA
 * bundle". `--enable-aggregator-routing` fails: it needs endpoints, which Services of type
 * ExternalName lack.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "./api-client";
import { Authority } from "./authority";
import { waitFor } from "./wait";

/** Common name of the API server's client certificate; the authority could sign others. */
const AGGREGATOR = "aggregator";

/** Flags for aggregation: client certificate and headers that name the caller. */
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

/** Service of an aggregated server, and its address on this machine. */
export interface AggregatedServer {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
  /** PEM of the authority for `servingName`. */
  readonly ca: string;
}

/** Name in the server's certificate. */
export function servingName({ service, namespace }: Pick<AggregatedServer, "service" | "namespace">): string {
  return `${service}.${namespace}.svc`;
}

/**
 * Registers a local server for a version of an API group, and waits until it is available. Its
 * namespace must exist.
 *
 * @param api such as `v1beta1.external.metrics.k8s.io`.
 * @throws Error with the API server's message.
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
