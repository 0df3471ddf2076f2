import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findShape } from "../../../catalog/shapes";
import { ClusterMismatchError, readClusterOutputs } from "../../../components/cluster/cluster-mismatch";

const STACK = 'stack "acme/inference-stacks/cluster"';
const shape = findShape("VM.GPU.A10.1");
if (!shape) {
  throw new Error("the catalogue lacks the shape of this test");
}
const GPU_TAINT = { key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" } as const;
const LABEL = { "example.com/pool": "a10" };
const PLANNED = { name: "a10", shape, maxNodes: 2, selector: LABEL, labels: LABEL, taints: [GPU_TAINT] };
const EXPECTED = { kind: "oci", pools: [PLANNED] } as const;
const POOL = { shape: "VM.GPU.A10.1", minNodes: 0, maxNodes: 2, labels: LABEL, taints: [GPU_TAINT], startupTaints: [] };
const OUTPUTS = { version: 1, kind: "oci", pools: { a10: POOL } };

function reasons(value: unknown): readonly string[] {
  try {
    readClusterOutputs(value, STACK, EXPECTED);
    return [];
  } catch (error) {
    if (error instanceof ClusterMismatchError) {
      return error.reasons;
    }
    throw error;
  }
}

describe("what a stack says of its cluster", () => {
  it("has defaults for all but its version, kind and pools", () => {
    expect(readClusterOutputs(OUTPUTS, STACK, EXPECTED)).toEqual({
      ...OUTPUTS,
      volumesGrow: false,
      privateCidrs: [],
      apiServerCidrs: [],
      networkPolicies: "present",
      gpuSoftware: "present",
      loadBalancer: "plain",
    });
  });

  it.each([
    ["nothing", undefined, /^it has no output "cluster": it was never deployed, .* name another stack/],
    ["another version", { ...OUTPUTS, version: 2 }, /has version 2; this release reads 1\. Deploy both stacks/],
    ["no version", { kind: "oci" }, /has version nothing; this release reads 1/],
    ["a text", "cluster", /has version nothing/],
    ["another kind", { ...OUTPUTS, kind: "aws" }, /^cluster\.kind is oci here, .* kind aws\. Write kind: aws/],
    ["no such pool", { ...OUTPUTS, pools: { gpu: POOL } }, /^pools\.a10: .* has not; its pools: gpu\. Add it/],
    ["no pool", { ...OUTPUTS, pools: {} }, /its pools: none/],
    ["another shape", pool({ shape: "VM.GPU.A10.2" }), /counts on VM\.GPU\.A10\.1, .* has VM\.GPU\.A10\.2/],
    ["fewer nodes", pool({ maxNodes: 1 }), /counts on maxNodes 2, .* has 1/],
    ["no label", pool({ labels: {} }), /labelled example\.com\/pool=a10, .* has no such label/],
    [
      "another taint",
      pool({ taints: [GPU_TAINT, { key: "team", value: "red", effect: "NoExecute" }] }),
      /have the taint team=red:NoExecute, which pods of the plan do not tolerate/,
    ],
    ["a network that is none", { ...OUTPUTS, privateCidrs: ["10.0.0.0/99"] }, /^cluster\.privateCidrs\.0: /],
  ])("is refused with %s", (_, value, message) => {
    const found = reasons(value);
    expect(found).toEqual([expect.stringMatching(message)]);
    expect(() => readClusterOutputs(value, STACK, EXPECTED)).toThrow(
      `the platform cannot go on the cluster of ${STACK}`,
    );
  });

  it("is refused with all reasons at once", () => {
    const found = reasons({ ...OUTPUTS, kind: "aws", pools: { a10: { ...POOL, shape: "VM.GPU.A10.2", maxNodes: 1 } } });
    expect(found).toHaveLength(3);
  });

  it("may have more than the plan needs, and keys of later releases", () => {
    const more = { ...pool({ maxNodes: 9, labels: { ...LABEL, more: "yes" } }), later: true };
    expect(reasons({ ...more, pools: { ...more.pools, other: POOL } })).toEqual([]);
  });

  it("never ends in anything but a mismatch, whatever the output holds", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ version: fc.constant(1), pools: fc.anything() })), (value) => {
        expect(reasons(value).length).toBeGreaterThan(0);
      }),
    );
  });
});

function pool(changes: object) {
  return { ...OUTPUTS, pools: { a10: { ...POOL, ...changes } } };
}
