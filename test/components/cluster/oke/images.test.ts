import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findShape, type MachineShape } from "../../../../catalog/shapes";
import { availabilityDomainName } from "../../../../components/cluster/oke/availability-domains";
import { newestImage } from "../../../../components/cluster/oke/images";

function shape(name: string): MachineShape {
  const found = findShape(name);
  if (found === undefined) {
    throw new Error(`no shape ${name}`);
  }
  return found;
}

const source = (sourceName: string) => ({ sourceName, imageId: `id-of-${sourceName}` });
const OFFERED = [
  "Oracle-Linux-8.10-2026.09.30-0-OKE-1.34.2-1501",
  "Oracle-Linux-8.10-2026.10.31-0-OKE-1.34.2-999",
  "Oracle-Linux-8.10-2026.10.31-0-OKE-1.34.2-1562",
  "Oracle-Linux-8.10-2026.11.15-0-OKE-1.35.2-1600",
  "Oracle-Linux-8.10-Gen2-GPU-2026.10.31-0-OKE-1.34.2-1562",
  "Oracle-Linux-8.10-aarch64-2026.10.31-0-OKE-1.34.2-1562",
  "Oracle-Linux-8.10-2026.11.20-0",
].map(source);

describe("the newest image", () => {
  it("is by date, and then by build, whatever the order of the answer", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(OFFERED, { minLength: OFFERED.length }), (offered) => {
        const found = newestImage("system", shape("VM.Standard.E5.Flex"), "v1.34.2", offered);
        return found.sourceName === "Oracle-Linux-8.10-2026.10.31-0-OKE-1.34.2-1562";
      }),
    );
  });

  it("is of the version, and is asked for where there is none", () => {
    expect(() => newestImage("system", shape("VM.Standard.E5.Flex"), "v1.33.1", OFFERED)).toThrow(
      "pools.system: OKE offers no image with Kubernetes v1.33.1 for nodes of VM.Standard.E5.Flex (7 images offered; versions: v1.34.2, v1.35.2). Set cluster.oke.kubernetesVersion to one of these, or name an image: pools.system.image",
    );
  });

  it("is never one of another vendor's driver", () => {
    expect(() => newestImage("mi", shape("BM.GPU.MI300X.8"), "v1.34.2", OFFERED)).toThrow(/pools\.mi\.image/);
  });
});

describe("the name of an availability domain", () => {
  const names = ["Uocm:EU-FRANKFURT-1-AD-3", "Uocm:EU-FRANKFURT-1-AD-1", "Uocm:EU-FRANKFURT-1-AD-2"];

  it("is found by its number", () => {
    expect([1, 2, 3].map((number) => availabilityDomainName("gpu", number, names))).toEqual(names.toSorted());
  });

  it("is refused where the region has none of that number", () => {
    expect(() => availabilityDomainName("gpu", 2, ["Uocm:EU-MILAN-1-AD-1"])).toThrow(
      "pools.gpu.availabilityDomains: the region has no availability domain 2, only 1. Write availabilityDomains: [1]",
    );
  });
});
