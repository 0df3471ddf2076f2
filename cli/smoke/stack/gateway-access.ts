/** What a client of the gateway needs, from its Secrets: read by the caller's own rights, and kept in memory alone. */
import { z } from "zod";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { ClusterApi } from "../../cluster/cluster-api";

const secretFact = z.object({ data: z.record(z.string(), z.base64()).default({}) });

/** Values of a Secret in the gateway's namespace. Undefined: there is none, or the caller may not read it. */
export async function gatewaySecret(
  api: ClusterApi,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const path = `/api/v1/namespaces/${GATEWAY_NAMESPACE}/secrets/${encodeURIComponent(name)}`;
  const { status, body } = await api.get(path);
  const parsed = status === 200 ? secretFact.safeParse(body) : undefined;
  return (
    parsed?.data &&
    Object.fromEntries(
      Object.entries(parsed.data.data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
    )
  );
}

/** What proves the gateway: its authority, or the certificate itself where the Secret has none. */
export function proofIn(secret: Readonly<Record<string, string>>): string | undefined {
  return secret["ca.crt"] || secret["tls.crt"];
}
