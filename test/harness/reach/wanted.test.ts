import { describe, expect, it } from "vitest";
import { allows, type NetworkPolicy, parsePolicy } from "../network-policies";
import type { RecordedObject } from "../recorded-objects";
import { type Wanted, wantedConnections } from "./wanted";

function object(kind: string, namespace: string, name: string, content: object): RecordedObject {
  return { kind, namespace, name, apiVersion: "", labels: {}, inputs: { ...content }, resource: {} as never };
}

const server = object("Deployment", "b", "server", {
  spec: {
    template: {
      metadata: { labels: { app: "server" } },
      spec: { containers: [{ name: "s", image: "i", ports: [{ name: "http", containerPort: 8000 }] }] },
    },
  },
});
const service = object("Service", "b", "server", {
  spec: { selector: { app: "server" }, ports: [{ port: 80, targetPort: "http" }] },
});
const client = object("Deployment", "a", "client", {
  spec: {
    template: {
      metadata: { labels: { app: "client" } },
      spec: {
        containers: [{ name: "c", image: "i", env: [{ name: "SERVER", value: "http://server.b.svc" }] }],
        volumes: [{ name: "settings", configMap: { name: "settings" } }],
      },
    },
  },
});
const [from, to] = [
  { namespace: "a", labels: { app: "client" } },
  { namespace: "b", labels: { app: "server" } },
];

function found(kind: Wanted["kind"], ...objects: readonly RecordedObject[]) {
  return wantedConnections(objects)
    .filter((wanted) => wanted.kind === kind)
    .map((wanted) => ({ from: wanted.from, to: wanted.to, port: wanted.at.port }));
}

describe("connections that objects ask for", () => {
  it("end at the pods behind a Service, at the port that these listen on", () => {
    expect(found("setting", client, server, service)).toEqual([{ from, to, port: 8000 }]);
  });

  it("begin at the pods that mount a configuration", () => {
    const settings = object("ConfigMap", "a", "settings", { data: { "a.yaml": "url: http://server.b.svc:80" } });
    expect(found("setting", client, server, service, settings)).toHaveLength(2);
    expect(found("setting", server, service, settings)).toEqual([]);
  });

  it("begin at the gateway's proxies for what routes lead to", () => {
    const backend = (endpoint: object) => object("Backend", "g", "one", { spec: { endpoints: [endpoint] } });
    const inside = backend({ fqdn: { hostname: "server.b.svc.cluster.local", port: 80 } });
    expect(found("route", inside, server, service)).toMatchObject([{ to, port: 8000 }]);
    const outside = backend({ ip: { address: "192.168.1.9", port: 1234 } });
    expect(found("route", outside)).toMatchObject([{ to: { address: "192.168.1.9" }, port: 1234 }]);
  });

  it("end at pods that a monitor selects and that have its port", () => {
    const monitor = (portNumber: number) =>
      object("PodMonitor", "observability", "server", {
        spec: {
          selector: { matchLabels: { app: "server" } },
          namespaceSelector: { matchNames: ["b"] },
          podMetricsEndpoints: [{ portNumber }],
        },
      });
    expect(found("monitor", monitor(8000), server)).toMatchObject([{ to, port: 8000 }]);
    expect(() => found("monitor", monitor(9000), server)).toThrow(/no pod of b .* has port 9000/);
  });

  it("are refused where there is no such Service", () => {
    expect(() => found("setting", client)).toThrow("no Service server in b with port 80");
  });

  it("are held up by a policy that does not know the port", () => {
    const policy = (port: number): NetworkPolicy =>
      parsePolicy({
        metadata: { name: "server", namespace: "b" },
        spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ ports: [{ port, protocol: "TCP" }] }] },
      });
    const [wanted] = wantedConnections([client, server, service]).filter(({ kind }) => kind === "setting");
    const passes = (port: number) => wanted && allows([policy(port)], wanted.from, wanted.to, wanted.at);
    expect([passes(8000), passes(80)]).toEqual([true, false]);
  });
});
