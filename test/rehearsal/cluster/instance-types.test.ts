import { describe, expect, it } from "vitest";
import { findShape, hourlyUsd, shapesOf } from "../../../catalog/shapes";
import { type InstanceTypesArgs, instanceTypes } from "../../../rehearsal/cluster/instance-types";

const ZONES = ["us-east-1a", "us-east-1b"];

function types(changes: Partial<InstanceTypesArgs> = {}) {
  const allocatable = () => ({ cpu: 7.25, memoryMiB: 1000 });
  return instanceTypes({ shapes: shapesOf("aws"), zones: ZONES, allocatable, ...changes });
}

function named(name: string, changes: Partial<InstanceTypesArgs> = {}) {
  const found = types(changes).find((type) => type.name === name);
  if (found === undefined) {
    throw new Error(`no instance type ${name}`);
  }
  return found;
}

/** `<capacity type> <zone>` of what a machine is offered as. */
function offersOf({ offerings }: ReturnType<typeof named>): string[] {
  return offerings.map(({ Requirements }) => Requirements.map(({ values }) => values.join()).join(" "));
}

describe("instance types of Karpenter's simulated cloud", () => {
  it("are a machine's, with whole cards and EFA interfaces, and what the cloud takes for itself on top", () => {
    expect(named("p5.48xlarge")).toMatchObject({
      architecture: "amd64",
      operatingSystems: ["linux"],
      resources: {
        cpu: "7350m",
        memory: "1010Mi",
        "ephemeral-storage": "4Ti",
        pods: "100",
        "nvidia.com/gpu": "8",
        "vpc.amazonaws.com/efa": "32",
      },
    });
    expect(named("m7i.2xlarge").resources).not.toHaveProperty("nvidia.com/gpu");
    expect(named("m7g.2xlarge").architecture).toBe("arm64");
  });

  it("are offered on demand at the catalogue's price and as spot for less, in every zone", () => {
    const type = named("g6.4xlarge");
    expect(offersOf(type)).toEqual([
      "on-demand us-east-1a",
      "on-demand us-east-1b",
      "spot us-east-1a",
      "spot us-east-1b",
    ]);
    const shape = findShape("g6.4xlarge");
    const usd = shape === undefined ? 0 : (hourlyUsd(shape) ?? 0);
    expect(usd).toBeGreaterThan(1);
    expect(type.offerings.map(({ Price }) => Price)).toEqual([usd, usd, usd * 0.7, usd * 0.7]);
  });

  it("are not offered where the cloud has none", () => {
    const offered: InstanceTypesArgs["offered"] = ({ shape, capacityType, zone }) =>
      shape !== "g6.4xlarge" || (capacityType === "on-demand" && zone === "us-east-1b");
    expect(offersOf(named("g6.4xlarge", { offered }))).toEqual(["on-demand us-east-1b"]);
    expect(offersOf(named("p5.48xlarge", { offered }))).toHaveLength(4);
  });

  it("leave out what the catalogue refuses, and nobody prefers what has no price", () => {
    const all = types();
    expect(all.map(({ name }) => name)).toEqual(
      shapesOf("aws")
        .filter(({ denied }) => denied === undefined)
        .map(({ name }) => name),
    );
    expect(all.length).toBeLessThan(shapesOf("aws").length);
    const priceOf = (name: string) => Math.max(...named(name).offerings.map(({ Price }) => Price));
    const unpriced = shapesOf("aws").filter(({ price, denied }) => price === undefined && denied === undefined);
    expect(unpriced.length).toBeGreaterThan(0);
    const dearest = Math.max(...all.map(({ name }) => priceOf(name)));
    expect(unpriced.map(({ name }) => priceOf(name))).toEqual(unpriced.map(() => dearest));
  });
});
