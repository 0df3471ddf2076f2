/** A gateway client's credentials from Secrets: with the caller's rights, in memory only. */
import { z } from "zod";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { ClusterApi } from "../../cluster/cluster-api";

const secretFact = z.object({ data: z.record(z.string(), z.base64()).default({}) });

/** A Secret in the gateway's namespace. Undefined: missing or forbidden. */
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

/** The gateway's CA, or its certificate where the Secret has none. */
export function proofIn(secret: Readonly<Record<string, string>>): string | undefined {
  return secret["ca.crt"] || secret["tls.crt"];
}
