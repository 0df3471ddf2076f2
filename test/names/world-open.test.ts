import fc from "fast-check";
import { expect, test } from "vitest";
import { isWorldOpen } from "../../names/world-open";

test.each([
  [["0.0.0.0/0"], true],
  [["128.0.0.0/1"], true],
  [["11.0.0.0/8"], false],
  [["11.0.0.0/8", "13.0.0.0/32"], true],
  [["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"], false],
  [["10.0.0.0/7"], true],
  [["11.0.0.0/8", "11.0.0.0/8", "11.128.0.0/9"], false],
  [["::/0"], true],
  [["fd00::/8"], true],
  [["2001:db8::/32"], false],
  [["a", "10.0.0.0"], false],
  [[], false],
])("%j: %s", (cidrs, isOpen) => {
  expect(isWorldOpen(...cidrs)).toBe(isOpen);
});

test("a network in pieces is as open as the whole", () => {
  const pieces = fc.integer({ min: 0, max: 12 }).map((depth) => {
    const bits = 4 + depth;
    return Array.from({ length: 2 ** depth }, (_, index) => {
      const first = 64 * 2 ** 24 + index * 2 ** (32 - bits);
      return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${bits}`;
    });
  });
  fc.assert(
    fc.property(
      pieces.chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
      (all) => isWorldOpen(...all),
    ),
  );
});
