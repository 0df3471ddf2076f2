/** Who answers the requests to a model: itself, but for what its revisions take. */
import type { ModelEndpoint } from "../serving/endpoint";

export interface Share {
  /** Name of the Backend of those who answer. */
  readonly name: string;
  readonly weight: number;
}

/** The shares that other revisions of a model take, percent of its requests. */
export function revisionsOf(model: string, endpoints: readonly Pick<ModelEndpoint, "model" | "revisionOf">[]): Share[] {
  return endpoints.flatMap(({ model: name, revisionOf }) =>
    revisionOf?.model === model ? [{ name, weight: revisionOf.weight }] : [],
  );
}

/**
 * All shares of a rule. Envoy Gateway makes one cluster of them, a locality for each; it leaves out what has weight 0, and
 * so does Envoy AI Gateway (internal/gatewayapi/route.go at v1.9.0, internal/extensionserver/post_translate_modify.go at
 * v1.1.0).
 */
export function sharesOf(name: string, revisions: readonly Share[] = []): readonly Share[] {
  const theirs = revisions.reduce((sum, { weight }) => sum + weight, 0);
  return revisions.length === 0 ? [{ name, weight: 1 }] : [{ name, weight: 100 - theirs }, ...revisions];
}

/** They as an HTTPRoute names them. */
export function backendRefs(shares: readonly Share[]) {
  return shares.map(({ name, weight }) => ({ group: "gateway.envoyproxy.io", kind: "Backend", name, weight }));
}
