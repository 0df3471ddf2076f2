import { describe, expect, it } from "vitest";
import { findShape } from "../../../catalog/shapes";
import { spotWithoutFallback } from "../../../stacks/advice/spot-without-fallback";

type Advised = Parameters<typeof spotWithoutFallback>[0];

function advised(cluster: object, capacity: string | undefined, shape = "VM.GPU.A10.1"): Advised {
  const pool = { name: "a10", shape: findShape(shape), minNodes: 0, maxNodes: 2, usdPerNodeHour: 1 };
  return { environment: { cluster, pools: { a10: { capacity } } }, plan: { pools: [pool] } } as unknown as Advised;
}

describe("preemptible machines", () => {
  const made = { kind: "oci", provision: "create" };

  it("of OKE are told with what their models cost on demand, which nothing takes instead", () => {
    expect(spotWithoutFallback(advised(made, "spot"))).toEqual([
      {
        severity: "advisory",
        rule: "spot-without-fallback",
        subject: "pools.a10.capacity",
        message: expect.stringMatching(/2 of them cost 1,460 USD a month as they are planned, and 2,920 on demand\./),
      },
    ]);
  });

  it("are said nothing of where others replace them, or there are none", () => {
    expect(spotWithoutFallback(advised(made, undefined))).toEqual([]);
    expect(spotWithoutFallback(advised({ kind: "aws", provision: "create" }, "spot", "g6e.xlarge"))).toEqual([]);
    expect(spotWithoutFallback(advised({ kind: "oci", provision: "existing" }, "spot"))).toEqual([]);
  });
});
