import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalCidr, contains, isMappedIpv4, parseAddresses, parseCidr } from "../../names/cidr";

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
    ["::ffff:10.0.0.1/128", "10.0.0.1/32"],
    ["::ffff:a00:0/104", "10.0.0.0/8"],
    ["::ffff:0:0/95", "::fffe:0:0/95"],
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

  it.each([
    ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0xA9.254.169.254", "0251.0376.0251.0376", "169.254.43518"],
    ...["169.254.169.254.", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "0:0:0:0:0:ffff:a9fe:a9fe"],
    ...["169.254.169.254/32", "::ffff:169.254.169.254/128", "１６９.２５４.169.254"],
  ])("%s is the metadata service's address", (text) => {
    expect(parseAddresses(text)).toEqual(parseCidr("169.254.169.254/32"));
  });

  it.each(["example.com", "1.2.3.4.5", "256.1.1.1", "", "a/b", "fd00::1::2", "10.0.0.1/33", "10.0.0.1/x"])(
    '"%s" is no address',
    (text) => {
      expect(parseAddresses(text)).toBeUndefined();
    },
  );

  it("reads every IPv4 address alike, as a number, in hexadecimal, in octal and inside of IPv6", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (number) => {
        const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
        const spellings = [
          bytes.join("."),
          `${number}`,
          `0x${number.toString(16)}`,
          bytes.map((byte) => `0${byte.toString(8)}`).join("."),
          `::ffff:${bytes.join(".")}`,
        ];
        const expected = parseCidr(`${bytes.join(".")}/32`);
        expect(spellings.map(parseAddresses)).toEqual(spellings.map(() => expected));
        expect(isMappedIpv4(`::ffff:${bytes.join(".")}/128`)).toBe(true);
      }),
    );
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
