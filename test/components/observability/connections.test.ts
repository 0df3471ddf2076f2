import { describe, expect, it } from "vitest";
import { observabilityConnections } from "../../../components/observability/connections";
import { STACK_PODS } from "../../../components/observability/names";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { AMD_POOL, NVIDIA_POOL, TARGETS } from "./fixture";

type Settings = Parameters<typeof observabilityConnections>[0];

const SETTINGS: Settings = {
  targets: TARGETS,
  gpuPools: [NVIDIA_POOL, AMD_POOL],
  gpuExporters: "platform",
  networks: NETWORKS,
  scrapeControlPlane: false,
  receivers: { webhook: { port: 443, severities: ["critical"] } },
};

const connections = (changes: Partial<Settings> = {}) => byName(observabilityConnections({ ...SETTINGS, ...changes }));

describe("observabilityConnections", () => {
  it("let Prometheus out to each target and nowhere else in the cluster's namespaces", () => {
    const granted = connections();
    expect(Object.keys(granted).filter((name) => name.startsWith("prometheus-to-"))).toEqual([
      "prometheus-to-nodes",
      "prometheus-to-node-exporters",
      "prometheus-to-dns",
      "prometheus-to-amd-exporters",
      "prometheus-to-nvidia-exporters",
      "prometheus-to-model-chat",
      "prometheus-to-gateway-envoy",
      "prometheus-to-model-store",
      "prometheus-to-cert-manager",
    ]);
    expect(granted["prometheus-to-model-chat"]).toEqual({
      from: [STACK_PODS.prometheus],
      to: [
        {
          namespace: "model-chat",
          podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "chat" },
        },
      ],
      ports: [{ port: 8000 }],
    });
  });

  it("let only Alertmanager out to the internet, on 443, where it has a webhook", () => {
    expect(connections()["alertmanager-to-webhook"]).toEqual({
      from: [STACK_PODS.alertmanager],
      to: [INTERNET],
      ports: [{ port: 443 }],
    });
    expect(connections({ receivers: {} })).not.toHaveProperty("alertmanager-to-webhook");
  });

  it("let Alertmanager out to a receiver's proxy alone, at its port", () => {
    const proxied = { port: 443, networks: ["10.30.0.5/32"], proxyUrl: "http://proxy.example.com:3128" };
    expect(connections({ receivers: { heartbeat: proxied } })["alertmanager-to-heartbeat"]).toMatchObject({
      to: [{ cidr: "10.30.0.5/32" }],
      ports: [{ port: 3128 }],
    });
  });

  it("reach the platform's GPU exporters in their namespace, others wherever they are", () => {
    const exporters = { namespace: "gpu-metrics", podLabels: { "app.kubernetes.io/name": "dcgm-exporter" } };
    expect(connections()["prometheus-to-nvidia-exporters"]).toMatchObject({ to: [exporters], ports: [{ port: 9400 }] });
    expect(connections()).toHaveProperty("amd-exporters-to-kubernetes-api");
    const present = connections({ gpuExporters: "present" });
    expect(present["prometheus-to-nvidia-exporters"]?.to).toEqual([{ anyNamespace: true }]);
    expect(present).not.toHaveProperty("amd-exporters-to-kubernetes-api");
  });

  it("scrape the control plane only when asked", () => {
    const ports = (scrapeControlPlane: boolean) =>
      connections({ scrapeControlPlane })["prometheus-to-nodes"]?.ports?.map(({ port }) => port);
    expect(ports(false)).toEqual([10250, 9100]);
    expect(ports(true)).toEqual([10250, 9100, 2381, 10257, 10259, 10249]);
  });
});
