/** The gateway opens last: after what asks callers for credentials and sets their limits. */
import { groupOf } from "../../../kubernetes/object";
import type { RecordedObject } from "../../harness/recorded-objects";
import { field, list, text, texts } from "../../render/argo-cd/fields";
import { type OrderedProgram, type OrderRule, pairsOf } from "./program";

const ROUTES = ["HTTPRoute", "GRPCRoute", "AIGatewayRoute"];

export const GATEWAY_RULES: readonly OrderRule[] = [
  {
    rule: "the policy that asks for keys after the keys: until then Envoy Gateway answers 500 to everybody",
    pairs: (program) =>
      pairsOf(program.ofKind("SecurityPolicy", "BackendSecurityPolicy"), ({ inputs, namespace }) => {
        const named = new Set(secretNames(inputs.spec));
        return program.ofKind("Secret").filter((secret) => secret.namespace === namespace && named.has(secret.name));
      }),
  },
  {
    rule: "the policy that asks for tokens after the server of their keys: it would be invalid, and answer 500",
    pairs: (program) =>
      pairsOf(program.ofKind("SecurityPolicy"), ({ inputs }) => {
        const named = list(inputs, "spec", "jwt", "providers")
          .flatMap((provider) => list(provider, "remoteJWKS", "backendRefs"))
          .map((backend) => text(backend, "name"));
        return program.ofKind("Backend").filter(({ name }) => named.includes(name));
      }),
  },
  {
    rule: "the gateway after its policies: it would answer without keys, limits and quotas",
    pairs: (program) => pairsOf(proxied(program), (gateway) => policiesOf(program, gateway)),
  },
  {
    rule: "the gateway after the settings of its proxies: they would be replaced at once",
    pairs: (program) => pairsOf(proxied(program), () => program.ofKind("EnvoyProxy", "GatewayConfig")),
  },
  {
    rule: "the gateway after what makes its load balancer: the cloud's own controller would make another",
    pairs: (program) =>
      pairsOf(proxied(program), () =>
        program.ofKind("Release").filter(({ name }) => name === "aws-load-balancer-controller"),
      ),
  },
  {
    rule: "routes after the gateway, and so after all that guards it",
    pairs: (program) =>
      pairsOf(program.ofKind(...ROUTES), ({ inputs, namespace }) =>
        program
          .ofKind("Gateway")
          .filter((gateway) => gateway.namespace === namespace)
          .filter(({ name }) => list(inputs, "spec", "parentRefs").some((parent) => text(parent, "name") === name)),
      ),
  },
  {
    rule: "routes after the policies of their own: a tenant could call what it may not, or a valid token be refused",
    pairs: (program) =>
      pairsOf(program.ofKind(...ROUTES), (route) =>
        policiesOf(program, route).filter(({ kind }) => kind === "SecurityPolicy"),
      ),
  },
  {
    rule: "routes to external models after the policy with their key: the servers would refuse the requests",
    pairs: (program) =>
      pairsOf(program.ofKind("AIGatewayRoute"), ({ inputs }) => {
        const backends = list(inputs, "spec", "rules")
          .flatMap((rule) => list(rule, "backendRefs"))
          .map((backend) => text(backend, "name"));
        return program
          .ofKind("BackendSecurityPolicy")
          .filter((policy) => targetsOf(policy).some((target) => backends.includes(text(target, "name"))));
      }),
  },
];

/** Gateways whose proxies are Envoy Gateway's. */
function proxied(program: OrderedProgram): RecordedObject[] {
  return program
    .ofKind("Gateway")
    .filter(({ inputs }) => text(inputs, "spec", "infrastructure", "parametersRef", "kind") === "EnvoyProxy");
}

function targetsOf({ inputs }: RecordedObject): readonly unknown[] {
  return list(inputs, "spec", "targetRefs");
}

/** Policies of Envoy Gateway's that name an object, or select it by its labels. */
function policiesOf(program: OrderedProgram, object: RecordedObject): RecordedObject[] {
  return program.objects
    .filter(({ apiVersion }) => groupOf(apiVersion) === "gateway.envoyproxy.io")
    .filter(
      (policy) =>
        policy.namespace === object.namespace &&
        (targetsOf(policy).some(
          (target) => text(target, "kind") === object.kind && text(target, "name") === object.name,
        ) ||
          list(policy.inputs, "spec", "targetSelectors").some((selector) => selects(selector, object))),
    );
}

function selects(selector: unknown, { kind, labels }: RecordedObject): boolean {
  return (
    text(selector, "kind") === kind &&
    list(selector, "matchExpressions").every((expression) =>
      texts(field(expression, "values")).includes(labels[text(expression, "key") ?? ""] ?? ""),
    )
  );
}

/** Names of the Secrets that a spec refers to. */
function secretNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    key === "credentialRefs" || key === "secretRef" ? texts(item) : secretNames(item),
  );
}
