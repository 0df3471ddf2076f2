import { expect, it } from "vitest";
import { wrap } from "../../report/style";

it.each([
  ["one two three four", ["  one two", "  three", "  four"]],
  ["- one two three", ["  - one two", "    three"]],
  ["12. one two three", ["  12. one", "      two", "      three"]],
  ["a - one two three", ["  a - one", "  two three"]],
  ["no 12. one two", ["  no 12.", "  one two"]],
  ["unbreakable-word one", ["  unbreakable-word", "  one"]],
])("lines of %j hang behind what begins a list's item, and behind nothing else", (text, lines) => {
  expect(wrap(text, 11, "  ")).toEqual(lines);
});
