import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalCidr, contains, parseCidr } from "../../names/cidr";

function network(cidr: string) {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) {
    throw new Error(`"${cidr}" is no network`);
  }
  return parsed;
}

describe("networks in CIDR form", () => {
  it.each([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.1/32", "192.0.2.1/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["FD00:EC2::254/128", "fd00:ec2::254/128"],
    ["fd00:0:0:1::/64", "fd00:0:0:1::/64"],
    ["2001:db8:0:0:1:0:0:1/128", "2001:db8::1:0:0:1/128"],
    ["::/0", "::/0"],
    ["::ffff:10.0.0.1/128", "::ffff:a00:1/128"],
  ])("%s is written %s", (cidr, canonical) => {
    expect(canonicalCidr(cidr)).toBe(canonical);
  });

  it.each([
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0/8",
    "010.0.0.0/8",
    "fd00::/129",
    "fe80::%eth0/64",
    "10.0.0.0/08",
    "",
    "x/8",
  ])('is not "%s"', (text) => {
    expect(parseCidr(text)).toBeUndefined();
    expect(canonicalCidr(text)).toBeUndefined();
  });

  it("knows what lies in what", () => {
    expect(contains(network("0.0.0.0/0"), network("169.254.0.0/16"))).toBe(true);
    expect(contains(network("10.0.0.0/8"), network("10.0.0.0/8"))).toBe(true);
    expect(contains(network("10.0.0.0/16"), network("10.0.0.0/8"))).toBe(false);
    expect(contains(network("::/0"), network("10.0.0.0/8"))).toBe(false);
  });

  it("keeps the meaning of every network that it writes anew", () => {
    const v4 = fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, bits]) => `${address}/${bits}`);
    const v6 = fc.tuple(fc.ipV6(), fc.nat(128)).map(([address, bits]) => `${address}/${bits}`);
    fc.assert(
      fc.property(fc.oneof(v4, v6), (cidr) => {
        const canonical = canonicalCidr(cidr) ?? "";
        expect(parseCidr(canonical)).toEqual(parseCidr(cidr));
        expect(canonicalCidr(canonical)).toBe(canonical);
      }),
    );
  });
});
