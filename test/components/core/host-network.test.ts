import { describe, expect, it } from "vitest";
import { connect, isPods, type PodSelection } from "../../../components/core/connections";
import { withHostNetwork } from "../../../components/core/host-network";

const group = { namespace: "model-large", podLabels: { app: "vllm" } };
const gateway = { namespace: "gateway", podLabels: { app: "envoy" } };
const store = { namespace: "model-store", podLabels: {} };
const opened = (from: PodSelection, to: PodSelection, ports?: number[]) => {
  const [found] = withHostNetwork(
    [connect({ name: "a-to-b", reason: "A test asks for it", from, to, ...(ports && { ports }) })],
    new Set(["model-large"]),
    { privateCidrs: ["100.70.0.0/16"] },
  );
  const addresses = (ends: NonNullable<typeof found>["from"] = []) =>
    ends.flatMap((end) => ("cidr" in end ? [end.cidr] : []));
  return { from: addresses(found?.from), to: addresses(found?.to), connection: found };
};
const NODES = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.70.0.0/16"];

describe("connections of pods on the network of their nodes", () => {
  it("let addresses of nodes in where such pods connect, and out where somebody connects to them", () => {
    expect(opened(group, store, [9000])).toMatchObject({ from: NODES, to: [] });
    expect(opened(gateway, group, [8000])).toMatchObject({ from: [], to: NODES });
    const { connection } = opened(gateway, group, [8000]);
    expect(connection?.to.filter(isPods)).toEqual([group]);
    expect(connection?.ports).toEqual([{ port: 8000 }]);
  });

  it("stay as they are between others, and among such pods themselves", () => {
    expect(opened(gateway, store)).toMatchObject({ from: [], to: [] });
    expect(opened(group, group)).toMatchObject({ from: [], to: [] });
  });
});
