import { describe, expect, it } from "vitest";
import { namedHosts, outsideServers } from "./named-hosts";

describe("Services that data names", () => {
  it.each([
    ["http://chat.model-chat.svc:8000/v1", "chat", "model-chat", 8000],
    ["redis://valkey.control.svc:6379", "valkey", "control", 6379],
    ["https://minio.model-store.svc/models", "minio", "model-store", 443],
    ["chat-0.chat-pods.model-chat.svc:11434", "chat-pods", "model-chat", 11434],
    ["chat.model-chat.svc.cluster.local", "chat", "model-chat", undefined],
  ])("%s", (text, service, namespace, port) => {
    expect(namedHosts(text)).toEqual([{ service, namespace, port }]);
  });

  it("are found in JSON inside of text, in lists, and beside their port", () => {
    const value = {
      env: [{ name: "JOB", value: JSON.stringify({ url: "http://a.one.svc:1", more: ["http://b.two.svc:2"] }) }],
      endpoint: { fqdn: { hostname: "c.three.svc.cluster.local", port: 3 } },
    };
    expect(namedHosts(value)).toEqual([
      { service: "a", namespace: "one", port: 1 },
      { service: "b", namespace: "two", port: 2 },
      { service: "c", namespace: "three", port: 3 },
    ]);
  });

  it("are none in other names", () => {
    expect(namedHosts(["a.svcs:1", "svc:1", "https://example.com", "a.b.service", 5, null])).toEqual([]);
  });
});

describe("servers outside", () => {
  it("are those of URLs that are no Service of the cluster, nor the pod itself", () => {
    const text =
      "http://127.0.0.1:1 https://api.example.com/v1 http://a.b.svc:2 http://192.168.1.9:3 http://localhost:4";
    expect(outsideServers(text)).toEqual([
      { host: "api.example.com", port: 443 },
      { host: "192.168.1.9", port: 3 },
    ]);
  });
});
