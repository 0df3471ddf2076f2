import { expect, it } from "vitest";
import { decimal } from "../../names/decimal";

it.each([
  [1234.5, 0, 0, "1,235"],
  [1234.5, 1, 0, "1,234.5"],
  [0.5, 4, 0, "0.5"],
  [71, 1, 1, "71.0"],
  [-0.004, 2, 2, "-0.00"],
  [Number.POSITIVE_INFINITY, 0, 0, "∞"],
])("writes %d with at most %d and at least %d decimals as toLocaleString does: %s", (value, most, least, text) => {
  expect(decimal(value, most, least)).toBe(text);
  const options = { minimumFractionDigits: least, maximumFractionDigits: most };
  expect(decimal(value, most, least)).toBe(value.toLocaleString("en-US", options));
});
