/**
 * What the objects say themselves about their order, in addition to what the program declares: who must be healthy before whom,
 * and who becomes healthy only together with another. Argo CD starts a wave when the one before is healthy, and ends its
 * attempt when something in it is Degraded.
 */

import type { KubernetesObject } from "../kubernetes/object";
import { isRecord } from "./kubernetes-object";
import type { OrderedObject } from "./waves";

type Indices = readonly number[];

/**
 * Indices of what each object refers to and must find healthy:
 * - an issuer that signs with a Secret, the Certificate that makes it: without the Secret it is Degraded;
 * - a Certificate, its issuer;
 * - a Gateway, the Certificates of its listeners: without their Secrets it is Degraded.
 */
export function referredNeeds(objects: readonly OrderedObject[]): Indices[] {
  const certificates = certificatesBySecret(objects);
  return objects.map(({ object }, i) => {
    switch (object.kind) {
      case "Issuer":
      case "ClusterIssuer":
        return certificates(object, text(object, "spec", "ca", "secretName"));
      case "Certificate":
        return issuerOf(objects, object);
      case "Gateway":
        return listenerSecrets(object)
          .flatMap((secret) => certificates(object, secret))
          .filter((j) => challengeGateway(objects, j) !== i);
      default:
        return [];
    }
  });
}

/**
 * Pairs of indices that must share a wave, because each is healthy only with the other there: a Certificate whose
 * challenge is answered through a Gateway, and that Gateway.
 */
export function inseparable(objects: readonly OrderedObject[]): (readonly [number, number])[] {
  return objects.flatMap((_, i) => {
    const gateway = challengeGateway(objects, i);
    return gateway === undefined ? [] : [[i, gateway] as const];
  });
}

/** The Gateway through which a Certificate's issuer answers HTTP-01 challenges. */
function challengeGateway(objects: readonly OrderedObject[], certificate: number): number | undefined {
  const { object } = objects[certificate] ?? {};
  if (object?.kind !== "Certificate") {
    return undefined;
  }
  const [issuer] = issuerOf(objects, object).map((i) => objects[i]?.object);
  const parents = list(issuer, "spec", "acme", "solvers").flatMap((solver) =>
    list(solver, "http01", "gatewayHTTPRoute", "parentRefs"),
  );
  const [gateway] = parents.flatMap((parent) =>
    indicesOf(objects, ({ object: other }) => {
      const namespace = text(parent, "namespace") ?? object.metadata.namespace;
      return isCalled(other, "Gateway", text(parent, "name"), namespace);
    }),
  );
  return gateway;
}

function issuerOf(objects: readonly OrderedObject[], certificate: KubernetesObject): Indices {
  const kind = text(certificate, "spec", "issuerRef", "kind") ?? "Issuer";
  const namespace = kind === "Issuer" ? certificate.metadata.namespace : undefined;
  const name = text(certificate, "spec", "issuerRef", "name");
  return indicesOf(objects, ({ object }) => isCalled(object, kind, name, namespace));
}

/** Finds the Certificates that write a Secret which an object names; for a cluster-wide object, in any namespace. */
function certificatesBySecret(objects: readonly OrderedObject[]) {
  return ({ metadata }: KubernetesObject, secret: string | undefined): Indices =>
    secret === undefined
      ? []
      : indicesOf(
          objects,
          ({ object }) =>
            object.kind === "Certificate" &&
            text(object, "spec", "secretName") === secret &&
            (metadata.namespace === undefined || object.metadata.namespace === metadata.namespace),
        );
}

function listenerSecrets(gateway: KubernetesObject): string[] {
  return list(gateway, "spec", "listeners")
    .flatMap((listener) => list(listener, "tls", "certificateRefs"))
    .flatMap((reference) => text(reference, "name") ?? []);
}

function isCalled({ kind, metadata }: KubernetesObject, wanted: string, name?: string, namespace?: string): boolean {
  return kind === wanted && metadata.name === name && metadata.namespace === namespace;
}

function indicesOf(objects: readonly OrderedObject[], is: (item: OrderedObject) => boolean): number[] {
  return objects.flatMap((item, i) => (is(item) ? [i] : []));
}

/** What is at a path, if anything does. */
function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((found, key) => (isRecord(found) ? found[key] : undefined), value);
}

function text(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === "string" ? found : undefined;
}

function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found : [];
}
