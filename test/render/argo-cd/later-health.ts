/**
 * Health of Envoy Gateway's kinds in Argo CD after 3.5 (pull request 27291, `resource_customizations/gateway.envoyproxy.io`):
 * Progressing until they have a status. Envoy Gateway 1.9.0 writes none before what they belong to exists
 * (`internal/gatewayapi/securitypolicy.go`, `internal/provider/kubernetes/controller.go`).
 */
import * as fact from "./facts";
import { field, list, text } from "./fields";
import { HEALTH, type Rule, type Rules } from "./health";

/** Waits for the Gateways and routes that it targets. */
const policy: Rule = ({ metadata: { namespace }, spec }) => {
  const targets = [...list(spec, "targetRefs"), field(spec, "targetRef")];
  return {
    inTime: targets.flatMap((target) => {
      const [kind, name] = [text(target, "kind"), text(target, "name")];
      return kind && name ? [fact.exists(kind, name, namespace)] : [];
    }),
  };
};

/** Waits for the first route or policy that refers to it. */
const backend: Rule = ({ metadata: { name, namespace } }, all) => ({
  inTime: all
    .filter((user) => user.metadata.namespace === namespace && refersTo(user.spec, name))
    .slice(0, 1)
    .map((user) => fact.exists(user.kind, user.metadata.name, namespace)),
});

function refersTo(value: unknown, backendName: string): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return (
    (text(value, "kind") === "Backend" && text(value, "name") === backendName) ||
    Object.values(value).some((part) => refersTo(part, backendName))
  );
}

export const LATER_HEALTH: Rules = {
  ...HEALTH,
  Backend: backend,
  BackendTrafficPolicy: policy,
  ClientTrafficPolicy: policy,
  EnvoyExtensionPolicy: policy,
  EnvoyPatchPolicy: policy,
  SecurityPolicy: policy,
};
