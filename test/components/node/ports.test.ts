import { describe, expect, it } from "vitest";
import { NODE_PORTS } from "../../../components/node/ports";
import { engineNames, engineOf } from "../../../engines";
import { deployNode, NODE_KINDS } from "./node-pods";

describe("the ports of a node", () => {
  it.each(engineNames)("are none on which %s listens", (name) => {
    const { ports, metrics } = engineOf(name);
    const taken = [...Object.values(ports), ...(metrics ? [metrics.port] : [])];
    expect(taken.filter((port) => Object.values<number>(NODE_PORTS).includes(port))).toEqual([]);
  });

  it.each(NODE_KINDS)("are each of one container of a pod of %s, and called by one name", async (kind) => {
    const { node } = await deployNode(kind);
    const listening = [...(node.spec.initContainers ?? []), ...node.spec.containers].flatMap(
      ({ ports = [] }) => ports as { name: string; containerPort: number }[],
    );
    const numbers = listening.map(({ containerPort }) => containerPort);
    expect(numbers).toEqual(expect.arrayContaining([NODE_PORTS.http, NODE_PORTS.metrics]));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(new Set(listening.map(({ name }) => name)).size).toBe(listening.length);
  });
});
