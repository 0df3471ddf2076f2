import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localClusterName } from "../../../../components/cluster/local/cluster-name";

describe("the name of a local cluster", () => {
  it("is the environment's, where that is a host name", () => {
    expect(localClusterName("dev")).toBe("inference-dev");
    expect(localClusterName("edge-2")).toBe("inference-edge-2");
  });

  it("is a host name that k3d and kind take, whatever the stack is called", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w.-]{1,100}$/), (environment) => {
        const name = localClusterName(environment);
        expect(name).toMatch(/^inference-[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
        expect(name.length).toBeLessThanOrEqual(32);
      }),
    );
  });

  it("is not that of another environment", () => {
    const names = ["Dev", "dev", "de-v", "de.v", "de_v", "dev-", "a".repeat(40), "a".repeat(41)].map(localClusterName);
    expect(new Set(names).size).toBe(names.length);
  });
});
