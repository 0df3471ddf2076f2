/** Who a connection comes from, as a mesh sees it: an identity, or an address that speaks in the clear. Pure. */
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import { type Connection, type End, isPods, type PodSelection } from "../core/connections";
import type { Members } from "./members";
import { TRUST_DOMAIN } from "./names";

export type Rule = NonNullable<NonNullable<IAuthorizationPolicy["spec"]>["rules"]>[number];
export type Source = NonNullable<NonNullable<Rule["from"]>[number]["source"]>;

/** Whoever shows no identity: nobody in the mesh (ztunnel 1.30.3, rbac.rs; istiod's "*" is any identity at all). */
const NO_IDENTITY: Source = { notPrincipals: ["*"] };

/** Name of an identity, as policies write it. */
export function principal(namespace: string, serviceAccount: string): string {
  return `${TRUST_DOMAIN}/ns/${namespace}/sa/${serviceAccount}`;
}

/** Whether somebody may come without an identity: from outside of the mesh. */
export function comesFromOutside(end: End, { isInMesh }: Pick<Members, "isInMesh">): boolean {
  return !isPods(end) || !isInMesh(end.namespace);
}

/**
 * Ends as sources of a rule, any of which may connect; undefined: everybody may.
 *
 * Pods of the mesh are known by their account, or by their namespace where nobody says it. Everybody else has no identity, so
 * the rule asks for none: a pod of the mesh cannot pass for an address. Which pods outside of the mesh these are, only
 * NetworkPolicies can say.
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

/** TCP ports of a connection, all that a mesh carries; undefined: all of them. */
export function tcpPorts({ ports }: Connection): number[] | undefined {
  return ports?.flatMap(({ port, protocol = "TCP" }) => (protocol === "TCP" ? port : []));
}
