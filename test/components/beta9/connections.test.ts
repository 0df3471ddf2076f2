import { describe, expect, it } from "vitest";
import { beta9Connections } from "../../../components/beta9/connections";
import { modelStorePods } from "../../../components/storage/store-layout";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { backends } from "./fixture";

const gateway = {
  namespace: "beta9",
  podLabels: { "app.kubernetes.io/name": "beta9", "app.kubernetes.io/instance": "beta9" },
};
const everyPod = { namespace: "beta9", podLabels: {} };

function connections(endpoint?: string, clients = ["team-vision"]) {
  return byName(beta9Connections({ backends: backends({ endpoint }), clients, networks: NETWORKS }));
}

describe("beta9Connections", () => {
  it("let the named clients in, at the gateway's ports only", () => {
    expect(connections()["clients-to-beta9"]).toEqual({
      from: [{ namespace: "team-vision", podLabels: {} }],
      to: [gateway],
      ports: [{ port: 1993 }, { port: 1994 }],
    });
    expect(connections(undefined, [])).not.toHaveProperty("clients-to-beta9");
  });

  it("reach a Service of the cluster in its namespace, any other backend at its port", () => {
    const granted = connections();
    expect(granted["beta9-to-redis"]).toEqual({
      from: [gateway],
      to: [{ namespace: "redis", podLabels: {} }],
      ports: [{ port: 6379 }],
    });
    expect(granted["beta9-to-postgres"]).toEqual({
      from: [gateway],
      to: [{ cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] }],
      ports: [{ port: 5432 }],
    });
    expect(granted["beta9-to-internet"]).toEqual({ from: [everyPod], to: [INTERNET], ports: [{ port: 443 }] });
  });

  it("reach the server of the model store where that holds its files, and any other store at its port", () => {
    expect(connections()["beta9-to-object-store"]).toEqual({
      from: [everyPod],
      to: [{ namespace: "model-store", podLabels: modelStorePods.podLabels }],
      ports: [{ port: 9000 }],
    });
    expect(connections("https://s3.example.com")["beta9-to-object-store"]).toMatchObject({
      to: [{ cidr: "0.0.0.0/0" }],
      ports: [{ port: 443 }],
    });
  });
});
