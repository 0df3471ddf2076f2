import fc from "fast-check";
import { expect, it } from "vitest";
import { readMembers, writeMembers } from "../../../components/serving/scripts/json-members.ts";

const again = (text: string) => Buffer.concat(writeMembers(readMembers(Buffer.from(text)))).toString();

it.each([
  "{}",
  '{"seed":9223372036854775807}',
  '{"a":[1.0,1e2,-0.0,-0,4.9e-324,12345678901234567890.0,0.1000000000000000055511151231257827]}',
  '{"a":1e999,"b":-1E+400}',
  '{"tools":{"b":1,"2":1,"1":[ ]},"__proto__":{"x":1}}',
  String.raw`{"a":"\\","b":"\"12345678901234567890\\\"","c":"\ud800\u00e9","d":"é😀"}`,
  '{"a":[{"b" : [true,false , null]}]}',
])("keeps %s byte for byte", (text) => {
  expect(again(text)).toBe(text);
});

it("knows a name however it is written, and of equal ones the last", () => {
  expect(again(String.raw` { "\u006bv" : 1 , "kv":2} `)).toBe('{"kv":2}');
});

it("refuses what is no UTF-8", () => {
  expect(() => readMembers(Buffer.from('{"a":"\xff"}', "latin1"))).toThrow();
});

it("refuses more than 200 values in each other, and more than 1000 members", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect(() => again(nested(200))).toThrow("200");
  expect(again(nested(199))).toHaveLength(404);
  const wide = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 1])));
  expect(() => again(wide(1_001))).toThrow("1000");
  expect(again(wide(1_000))).toBe(wide(1_000));
});

it("keeps what JSON.stringify writes of any object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 3 })), (value) => {
      expect(again(JSON.stringify(value))).toBe(JSON.stringify(value));
    }),
  );
});

it("takes and refuses the objects that JSON.parse does, of any text like JSON", () => {
  const piece = fc.constantFrom(...'{}[]:,"\\-+.eE01 ', "u00e9", "true", "nul", "\n", '"a"', '"b":', "NaN", "\t");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `{"x":${pieces.join("")}}`;
      const isTaken = (read: () => unknown) => {
        try {
          return read() !== undefined;
        } catch {
          return false;
        }
      };
      expect(isTaken(() => again(text))).toBe(isTaken(() => JSON.parse(text) as unknown));
    }),
    { numRuns: 2_000 },
  );
});
