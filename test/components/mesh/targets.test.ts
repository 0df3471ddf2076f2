import { describe, expect, it } from "vitest";
import { meshTargets } from "../../../components/mesh/targets";

const endpoint = (model: string) => ({
  model,
  namespace: `model-${model}`,
  podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": model },
});
const GATEWAY = { namespace: "inference-gateway", podLabels: { proxy: "yes" } };
const MODELS = [
  { name: "chat", nodesPerReplica: 1 },
  { name: "wide", nodesPerReplica: 2 },
];
const targets = (mode: "ambient" | "sidecar", endpoints = [endpoint("chat"), endpoint("wide")]) =>
  meshTargets({ mode, endpoints, gateway: GATEWAY, models: MODELS });

describe("meshTargets", () => {
  it("are control plane, agents and waypoints in ambient mode, none of a model that is outside", () => {
    expect(targets("ambient").map(({ name, namespace, port, path }) => `${name} ${namespace}:${port}${path}`)).toEqual([
      "istiod istio-system:15014/metrics",
      "istio-cni istio-system:15014/metrics",
      "ztunnel istio-system:15020/metrics",
      "waypoint-chat model-chat:15020/stats/prometheus",
    ]);
  });

  it("are sidecars of models and of the gateway in sidecar mode, at the port that they declare", () => {
    expect(targets("sidecar").map(({ name, namespace, port, path }) => `${name} ${namespace}:${port}${path}`)).toEqual([
      "istiod istio-system:15014/metrics",
      "istio-cni istio-system:15014/metrics",
      "sidecar-of-chat model-chat:15090/stats/prometheus",
      "sidecar-of-gateway-proxies inference-gateway:15090/stats/prometheus",
    ]);
  });

  it("let Prometheus reach the pods that the connection names, and find them by what Istio puts on them", () => {
    expect(targets("sidecar").find(({ name }) => name === "sidecar-of-chat")).toMatchObject({
      podLabels: endpoint("chat").podLabels,
      monitor: { name: "sidecars", podLabels: { "security.istio.io/tlsMode": "istio" } },
    });
    const waypoint = { "gateway.networking.k8s.io/gateway-class-name": "istio-waypoint" };
    expect(targets("ambient").find(({ name }) => name === "waypoint-chat")).toMatchObject({
      podLabels: waypoint,
      monitor: { name: "waypoints", podLabels: waypoint },
    });
  });

  it("name a namespace once, whoever shares it", () => {
    const shared = { ...endpoint("finder"), namespace: "model-chat" };
    expect(targets("ambient", [endpoint("chat"), shared]).map(({ name }) => name)).not.toContain("waypoint-finder");
  });
});
