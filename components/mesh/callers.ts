/** Sources in the mesh: an identity, or a plain-text address. */
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import { type Connection, type End, isPods, type PodSelection } from "../core/connections";
import type { Members } from "./members";
import { TRUST_DOMAIN } from "./names";

export type Rule = NonNullable<NonNullable<IAuthorizationPolicy["spec"]>["rules"]>[number];
export type Source = NonNullable<NonNullable<Rule["from"]>[number]["source"]>;

/**
 * Callers without identity, so outside the mesh (ztunnel 1.30.3, rbac.rs; istiod's "*" is any
 * identity).
 */
const NO_IDENTITY: Source = { notPrincipals: ["*"] };

/** Identity in policy format. */
export function principal(namespace: string, serviceAccount: string): string {
  return `${TRUST_DOMAIN}/ns/${namespace}/sa/${serviceAccount}`;
}

/** Whether an end includes sources outside the mesh. */
export function comesFromOutside(end: End, { isInMesh }: Pick<Members, "isInMesh">): boolean {
  return !isPods(end) || !isInMesh(end.namespace);
}

/**
 * Alternative sources of a rule; undefined: any.
 *
 * Mesh pods are identified by account, else by namespace. Other ends require no identity, so that a
 * mesh pod cannot pass as an address. NetworkPolicies restrict pods outside the mesh.
 */
export function sourcesOf(ends: readonly End[], members: Pick<Members, "isInMesh">): Source[] | undefined {
  if (ends.some((end) => "anyone" in end || "anyNamespace" in end)) {
    return undefined;
  }
  const pods = ends.filter(isPods);
  const inside = pods.filter((end) => !comesFromOutside(end, members));
  const principals = [...new Set(inside.flatMap(principalsOf))];
  const namespaces = [...new Set(inside.flatMap((end) => (end.serviceAccount === undefined ? end.namespace : [])))];
  return [
    ...(principals.length > 0 ? [{ principals }] : []),
    ...(namespaces.length > 0 ? [{ namespaces }] : []),
    ...(inside.length < pods.length ? [NO_IDENTITY] : []),
    ...ends.flatMap((end) =>
      "cidr" in end
        ? { ...NO_IDENTITY, ipBlocks: [end.cidr], ...(end.except && { notIpBlocks: [...end.except] }) }
        : [],
    ),
  ];
}

function principalsOf({ namespace, serviceAccount }: PodSelection): string[] {
  return serviceAccount === undefined ? [] : [principal(namespace, serviceAccount)];
}

/** TCP ports of a connection, the only protocol of the mesh; undefined: all. */
export function tcpPorts({ ports }: Connection): number[] | undefined {
  return ports?.flatMap(({ port, protocol = "TCP" }) => (protocol === "TCP" ? port : []));
}
