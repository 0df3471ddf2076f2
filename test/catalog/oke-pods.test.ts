import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { okeMaxPods, okePodAddresses } from "../../catalog/oke-pods";
import { shapes } from "../../catalog/shapes";

const vm = (ocpus: number) => ({
  name: "VM.Standard.E5.Flex",
  cpu: { arch: "amd64" as const, vcpus: 2 * ocpus, ocpus },
});

describe("pods per node on OKE", () => {
  it("follow from the VNICs of the machine", () => {
    const counted = [1, 2, 3, 4, 5, 94].map((ocpus) => [ocpus, okeMaxPods(vm(ocpus)), okePodAddresses(vm(ocpus))]);
    expect(counted).toEqual([
      [1, 31, 32],
      [2, 31, 32],
      [3, 62, 64],
      [4, 93, 96],
      [5, 110, 128],
      [94, 110, 128],
    ]);
  });

  it("are at Kubernetes' limit on every GPU machine of the catalogue", () => {
    const machines = shapes.filter(({ provider, gpu }) => provider === "oci" && gpu);
    expect(machines.length).toBeGreaterThan(10);
    expect(new Set(machines.map(okeMaxPods))).toEqual(new Set([110]));
  });

  it("never are more than their addresses, and more OCPUs never give fewer", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 128 }), (ocpus) => {
        expect(okePodAddresses(vm(ocpus))).toBeGreaterThan(okeMaxPods(vm(ocpus)));
        expect(okeMaxPods(vm(ocpus + 1))).toBeGreaterThanOrEqual(okeMaxPods(vm(ocpus)));
      }),
    );
  });
});
