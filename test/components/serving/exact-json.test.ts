import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExact, stringifyExact } from "../../../components/serving/scripts/exact-json.ts";

const again = (text: string) => stringifyExact(parseExact(text));

it.each([
  '{"seed":9223372036854775807}',
  '{"seed":-9223372036854775808,"a":[9007199254740993,1]}',
  '{"a":1e400,"b":-1e400}',
  '{"a":"9223372036854775807","b":"\\\\","c":"\\"12345678901234567890\\\\\\"","d":12345678901234567890}',
  "[0.1,-0.5,1e+21,true,null]",
])("keeps %s as it is", (text) => {
  expect(again(text)).toBe(text);
});

it.each(["", "{", '{"a":01}', '{"a":1-2}', '{"a":"', "[1,]", "{12345678901234567890:1}x", "[".repeat(20_000)])(
  "refuses %s",
  (text) => {
    expect(() => parseExact(text)).toThrow();
  },
);

it("refuses more than 200 values in each other, and not as many beside each other", () => {
  expect(() => parseExact(`${"[".repeat(201)}${"]".repeat(201)}`)).toThrow("200");
  expect(again(`${"[".repeat(200)}${"]".repeat(200)}`)).toHaveLength(400);
  expect(again(`[${Array(500).fill("[]").join(",")}]`)).toHaveLength(1_501);
});

it("reads and writes all other JSON as JSON.parse and JSON.stringify do", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      expect(again(text)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});
