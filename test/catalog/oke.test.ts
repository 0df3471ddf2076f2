import { describe, expect, it } from "vitest";
import { hasOkeImage, OKE_MINORS, OKE_NEWEST, okeAddon, okeImageFits, readOkeImage } from "../../catalog/oke";
import { findShape, type MachineShape } from "../../catalog/shapes";

function shape(name: string): MachineShape {
  const found = findShape(name);
  if (found === undefined) {
    throw new Error(`no shape ${name}`);
  }
  return found;
}

describe("versions", () => {
  it("have a newest patch release each, of that minor version", () => {
    expect(Object.keys(OKE_NEWEST)).toEqual([...OKE_MINORS]);
    for (const minor of OKE_MINORS) {
      expect(OKE_NEWEST[minor]?.startsWith(`v${minor}.`)).toBe(true);
    }
  });
});

describe("images", () => {
  const GPU = "Oracle-Linux-8.10-Gen2-GPU-2025.11.20-0-OKE-1.34.2-1345";
  const ARM = "Oracle-Linux-8.10-aarch64-2025.11.20-0-OKE-1.34.2-1345";
  const PLAIN = "Oracle-Linux-8.10-2025.11.20-0-OKE-1.34.2-1345";
  const OLD = "Oracle-Linux-8.10-2025.11.20-0-OKE-1.33.1-1330";

  it("are read by their names", () => {
    expect(readOkeImage(GPU)).toEqual({
      arch: "amd64",
      nvidia: true,
      kubernetesVersion: "1.34.2",
      date: "2025.11.20",
      build: 1345,
    });
    expect(readOkeImage(ARM)).toMatchObject({ arch: "arm64", nvidia: false });
  });

  it.each(["Oracle-Linux-8.10-2025.11.20-0", "Oracle-Linux-8.5-Gen2-GPU-2022.04.05-0", "Canonical-Ubuntu-24.04"])(
    "that are no OKE images say nothing: %s",
    (name) => {
      expect(readOkeImage(name)).toBeUndefined();
    },
  );

  it.each([
    ["VM.GPU.A10.1", GPU],
    ["BM.GPU.H100.8", GPU],
    ["VM.Standard.A1.Flex", ARM],
    ["VM.Standard.E5.Flex", PLAIN],
  ])("for %s are the one of four that fits", (name, image) => {
    const fitting = [GPU, ARM, PLAIN, OLD].filter((each) => {
      const read = readOkeImage(each);
      return read !== undefined && okeImageFits(read, shape(name), "v1.34.2");
    });
    expect(fitting).toEqual([image]);
  });

  it("with AMD's driver there are none", () => {
    expect(hasOkeImage(shape("BM.GPU.MI300X.8"))).toBe(false);
    expect(hasOkeImage(shape("VM.GPU.A10.1")) && hasOkeImage(shape("VM.Standard.A1.Flex"))).toBe(true);
  });
});

describe("add-ons", () => {
  it("are found by name, or the nearest is named", () => {
    expect(okeAddon("ClusterAutoscaler").keys).toContain("nodes");
    expect(() => okeAddon("NvidiaGpuPlugins")).toThrow(/NvidiaGpuPlugin"/);
  });
});
