import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operatorNetworks } from "../../../../components/cluster/eks/operators";
import { isPrivateNetwork } from "../../../../names/cidr";

describe("operatorNetworks", () => {
  it("brings every network in by one way, and private ones never over the internet", () => {
    const cidr = fc.constantFrom("203.0.113.0/24", "198.51.100.7/32", "10.8.0.0/24", "172.16.0.0/12", "100.64.3.0/24");
    fc.assert(
      fc.property(fc.boolean(), fc.array(cidr), (isPublic, allowedCidrs) => {
        const { overInternet, overNetwork } = operatorNetworks({ public: isPublic, allowedCidrs });
        expect([...overInternet, ...overNetwork].sort()).toEqual([...new Set(allowedCidrs)].sort());
        expect(overInternet.some(isPrivateNetwork)).toBe(false);
        expect(isPublic || overInternet.length === 0).toBe(true);
      }),
    );
  });

  it("takes a network for private only where all of it is", () => {
    expect(isPrivateNetwork("172.16.0.0/12")).toBe(true);
    expect(isPrivateNetwork("172.16.0.0/11")).toBe(false);
    expect(isPrivateNetwork("192.0.2.0/24")).toBe(false);
  });
});
