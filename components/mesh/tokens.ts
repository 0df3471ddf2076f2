/**
 * Token checks at models: callers without a declared connection need a token of the issuer. The
 * gateway authenticates callers, and forwards neither keys nor tokens.
 */
import type { IAuthorizationPolicy } from "@kubernetes-models/istio/security.istio.io/v1/AuthorizationPolicy";
import type { IRequestAuthentication } from "@kubernetes-models/istio/security.istio.io/v1/RequestAuthentication";
import { ANNOTATIONS, type Labels } from "../../names/labels";
import type { TokenIssuer } from "../../planner/tenants";
import { type Connection, connect } from "../core/connections";
import type { ClusterNetworks } from "../core/network";
import { outsideEnds, serverAt } from "../core/outside";
import { type Guard, guard } from "./guard";
import { ISTIO_PODS } from "./names";
import type { WAYPOINT_TARGET } from "./waypoint";

/** Where request policies apply: pod sidecars or a waypoint. */
export type At =
  | { readonly selector: { readonly matchLabels: Labels } }
  | { readonly targetRefs: (typeof WAYPOINT_TARGET)[] };

/** @param suffix of policy names, if a namespace has several. */
export function tokenGuards(issuer: TokenIssuer, ports: readonly number[], at: At, suffix: string): Guard[] {
  return [
    guard<IRequestAuthentication>({
      apiVersion: "security.istio.io/v1",
      kind: "RequestAuthentication",
      name: `tokens${suffix}`,
      spec: {
        ...at,
        jwtRules: [
          {
            issuer: issuer.issuer,
            audiences: [issuer.audience],
            // istiod fetches the keys and distributes them to proxies.
            jwksUri: issuer.jwks.url,
            forwardOriginalToken: false,
          },
        ],
      },
    }),
    // A RequestAuthentication rejects only invalid tokens: requests without a token would pass.
    guard<IAuthorizationPolicy>({
      apiVersion: "security.istio.io/v1",
      kind: "AuthorizationPolicy",
      name: `allow-tokens${suffix}`,
      annotations: {
        [ANNOTATIONS.description]: "Requests with a token of the issuer, from any workload of the mesh",
      },
      spec: {
        ...at,
        action: "ALLOW",
        rules: [
          {
            from: [{ source: { requestPrincipals: [`${issuer.issuer}/*`] } }],
            to: [{ operation: { ports: ports.map(String) } }],
          },
        ],
      },
    }),
  ];
}

/** istiod fetches the issuer's signing keys. */
export function issuerConnections(
  issuer: TokenIssuer | undefined,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): Connection[] {
  return issuer === undefined
    ? []
    : [
        connect({
          name: "istiod-to-token-issuer",
          reason: "istiod fetches the keys that tokens are signed with, for the proxies of the mesh",
          from: ISTIO_PODS.istiod,
          to: outsideEnds(issuer.jwks, networks),
          ports: [serverAt(issuer.jwks).port],
        }),
      ];
}
