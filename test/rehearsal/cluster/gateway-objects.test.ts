import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { gatewayObjects } from "../../../rehearsal/cluster/gateway/objects";

const authority = {
  tlsSecret: ({ name, namespace }: { name: string; namespace: string }, dnsNames: readonly string[]) =>
    object("v1", "Secret", name, namespace, { dnsNames }),
};

function object(apiVersion: string, kind: string, name: string, namespace?: string, spec?: object): KubernetesObject {
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, ...(spec && { spec }) };
}

const kept = (...objects: readonly KubernetesObject[]) =>
  gatewayObjects(objects, authority).map(({ kind, metadata: { name, namespace } }) => `${kind} ${namespace}/${name}`);

describe("what the gateway is made of", () => {
  it.each([
    object("v1", "Namespace", "model-chat"),
    object("scheduling.k8s.io/v1", "PriorityClass", "serving"),
    object("v1", "Service", "chat", "model-chat"),
    object("gateway.networking.k8s.io/v1", "HTTPRoute", "chat", "model-chat"),
    object("gateway.envoyproxy.io/v1alpha1", "Backend", "chat", "model-chat"),
    object("aigateway.envoyproxy.io/v1alpha1", "AIGatewayRoute", "chat", "model-chat"),
    object("inference.networking.k8s.io/v1", "InferencePool", "chat", "model-chat"),
    ...[GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE, AI_GATEWAY_NAMESPACE].map((namespace) =>
      object("v1", "ConfigMap", "settings", namespace),
    ),
    object("networking.k8s.io/v1", "NetworkPolicy", "fence", GATEWAY_NAMESPACE),
  ])("is $kind $metadata.namespace/$metadata.name", (one) => {
    expect(kept(one)).toHaveLength(1);
  });

  it.each([
    object("apps/v1", "Deployment", "chat", "model-chat"),
    object("v1", "ConfigMap", "settings", "model-chat"),
    object("monitoring.coreos.com/v1", "ServiceMonitor", "envoy", GATEWAY_NAMESPACE),
    object("rbac.authorization.k8s.io/v1", "ClusterRole", "reader"),
  ])("is not $kind $metadata.namespace/$metadata.name", (one) => {
    expect(kept(one)).toEqual([]);
  });

  it("are certificates too: those that are issued, else those that listeners name", () => {
    const listeners = [
      { hostname: "a.example.com", tls: { certificateRefs: [{ name: "own" }] } },
      { tls: { certificateRefs: [{ name: "without-a-name" }] } },
      { hostname: "plain.example.com" },
    ];
    const gateway = object("gateway.networking.k8s.io/v1", "Gateway", "inference", GATEWAY_NAMESPACE, { listeners });
    const certificate = object("cert-manager.io/v1", "Certificate", "server", GATEWAY_NAMESPACE, {
      secretName: "issued",
      dnsNames: ["a.example.com"],
    });
    const of = (namespace: string) => ({ ...certificate, metadata: { name: "server", namespace } });
    expect(kept(gateway).slice(1)).toEqual([`Secret ${GATEWAY_NAMESPACE}/own`]);
    expect(kept(gateway, certificate).slice(1)).toEqual([`Secret ${GATEWAY_NAMESPACE}/issued`]);
    expect(kept(gateway, of("model-store")).slice(1)).toEqual([`Secret ${GATEWAY_NAMESPACE}/own`]);
  });
});
