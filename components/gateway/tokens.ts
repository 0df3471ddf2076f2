import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { ISecurityPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/SecurityPolicy";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import type { Tenant, TokenIssuer } from "../../planner/tenants";
import { customResource } from "../core/custom-resource";
import { serverAt } from "../core/outside";
import { PlatformComponent } from "../core/platform-component";
import { AI_FILTER_ANNOTATION } from "./ai-gateway-types";
import { TOKEN_CONSUMER_HEADER } from "./names";
import { upstreamTls } from "./outside-access";
import { modelNotFound } from "./refusals";
import { onlyFor } from "./tenants";
import { ANY_PATH, HTTPS_LISTENER } from "./traffic";

type Rule = NonNullable<NonNullable<NonNullable<IHTTPRoute["spec"]>["rules"]>[number]>;

/** Name of the rule of a route where requests with a token come in. */
const TOKEN_RULE = "token";

/**
 * What a token looks like, and no key of ours does: a signed JWT is three parts of base64url, the first one of which begins with
 * `{"` (RFC 7515 §7.1). Header values that a client sends twice are joined by commas, which do not match.
 */
const TOKEN_HEADER = {
  type: "RegularExpression" as const,
  name: "Authorization",
  value: "Bearer eyJ[A-Za-z0-9_-]*\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*",
};

/** Name of the Backend of the issuer's keys, of the policy and of the route that tokens of `/v1` come in by. */
const NAME = "tokens";

/**
 * How long a proxy keeps the issuer's keys: a key that the issuer takes back is believed for so long, a new one unknown for so long.
 * Proxies fetch them again by themselves, and keep what they have while the issuer does not answer.
 */
export const KEYS_CACHED_SECONDS = 300;

/**
 * The rules of a route, and where tokens count a last one, by which requests with a token come in: it is chosen before the others, which
 * ask for one header less. It leads nowhere: once the token is checked and taken out (see `callerScript`), Envoy chooses anew.
 */
export function withTokens(rules: Rule[], tokens: boolean): Rule[] {
  return tokens ? [...rules, tokenRule(rules.flatMap((rule) => rule.matches ?? []))] : rules;
}

function tokenRule(matches: NonNullable<Rule["matches"]>): Rule {
  return {
    name: TOKEN_RULE,
    matches: matches.map((match) => ({ ...match, headers: [...(match.headers ?? []), TOKEN_HEADER] })),
    filters: [modelNotFound],
  };
}

export interface TokensArgs {
  readonly namespace: pulumi.Input<string>;
  readonly issuer: TokenIssuer;
  readonly tenants: readonly Tenant[];
  /** HTTPRoutes with a rule for tokens (`withTokens`). */
  readonly routes: readonly string[];
  /** Whether any model is called by the name in the body, at `/v1`. */
  readonly byModel: boolean;
}

/**
 * Tokens (JWT) in addition to API keys. A policy of Envoy Gateway asks for a key and nothing else, so requests with a token come in by rules of
 * their own, and go on by those of all others (docs/decisions/0016-keys-or-tokens.md).
 */
export class Tokens extends PlatformComponent {
  /** What asks for tokens; routes with a rule for them come after it. */
  readonly policy: pulumi.Resource;

  constructor(name: string, args: TokensArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:Tokens", name, opts);
    const { namespace, issuer } = args;
    const { host, port } = serverAt(issuer.jwks);
    const metadata = { name: NAME, namespace, labels: { ...standardLabels("tokens", "issuer") } };
    const authorities =
      issuer.authorities &&
      new kubernetes.core.v1.ConfigMap(
        this.child("authorities"),
        { metadata: { ...metadata, name: AUTHORITIES }, data: { "ca.crt": issuer.authorities.text } },
        this.childOptions(),
      );
    const keys = customResource<IBackend>(
      this.child("keys"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "Backend",
        ...metadata,
        spec: {
          endpoints: [{ fqdn: { hostname: host, port } }],
          ...upstreamTls(issuer.jwks, authorities && AUTHORITIES),
        },
      },
      this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: authorities ? [authorities] : [] }),
    );
    // Before all routes: without it their rules for tokens ask for a key, and refuse every token.
    this.policy = customResource<ISecurityPolicy>(
      this.child("policy"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "SecurityPolicy",
        ...metadata,
        spec: securityPolicySpec(args),
      },
      this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [keys] }),
    );
    if (args.byModel) {
      customResource<IHTTPRoute>(
        this.child("route"),
        {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          ...metadata,
          annotations: { [AI_FILTER_ANNOTATION]: "true" },
          spec: {
            parentRefs: [HTTPS_LISTENER],
            rules: [tokenRule([{ path: ANY_PATH }])],
          },
        },
        this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [this.policy] }),
      );
    }
    this.registerOutputs({});
  }
}

/** ConfigMap with the authorities of the issuer's certificate. */
const AUTHORITIES = "tokens-ca";

function securityPolicySpec({ issuer, tenants, routes, byModel }: TokensArgs): ISecurityPolicy["spec"] {
  const { port } = serverAt(issuer.jwks);
  return {
    targetRefs: [...(byModel ? [NAME] : []), ...routes].map((name) => ({
      group: "gateway.networking.k8s.io",
      kind: "HTTPRoute",
      name,
      sectionName: TOKEN_RULE,
    })),
    jwt: {
      providers: [
        {
          name: "issuer",
          issuer: issuer.issuer,
          audiences: [issuer.audience],
          remoteJWKS: {
            uri: issuer.jwks.url,
            backendRefs: [{ group: "gateway.envoyproxy.io", kind: "Backend", name: NAME, port, weight: 1 }],
            cacheDuration: `${KEYS_CACHED_SECONDS}s`,
          },
          claimToHeaders: [{ header: TOKEN_CONSUMER_HEADER, claim: issuer.tenantClaim }],
          // Nowhere else: Envoy would take a token from the query string too, which proxies and servers log.
          extractFrom: { headers: [{ name: "Authorization", valuePrefix: "Bearer " }] },
        },
      ],
    },
    authorization: onlyFor(tenants.map((tenant) => tenant.name)),
  };
}
