import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CheckpointError } from "../../../../planner/model/checkpoint/errors";
import dtypes from "../../../../planner/model/checkpoint/safetensors-dtypes.json";
import {
  headerBytes,
  parseSafetensorsHeader,
  type StoredDtype,
  type StoredTensor,
} from "../../../../planner/model/checkpoint/safetensors-header";
import { atNight } from "../../../harness/property-runs";
import { fileStart, headerOf, valueBytes, type WrittenTensor } from "./safetensors";

/** Reads a file of which only the start is given. */
function read(start: Uint8Array, bytes: number): readonly StoredTensor[] {
  const file = { name: "model.safetensors", bytes };
  const length = headerBytes(start, file);
  return parseSafetensorsHeader(start.subarray(8, 8 + length), file);
}

function readJson(json: string, dataBytes: number): readonly StoredTensor[] {
  const start = fileStart(json);
  return read(start, start.length + dataBytes);
}

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof CheckpointError) {
      return error.message;
    }
    throw error;
  }
  return "accepted";
}

const tensor = fc.record({
  name: fc.stringMatching(/^[a-zA-Z_é😀"\\/][a-zA-Z0-9_.é😀"\\/]{0,40}$/u).filter((name) => isAllowed(name)),
  dtype: fc.constantFrom(...(Object.keys(dtypes.bits) as StoredDtype[])),
  // Even, so that types of half a byte end on whole ones.
  shape: fc.array(
    fc.integer({ min: 0, max: 40 }).map((size) => size * 4),
    { maxLength: 4 },
  ),
});
const tensors = fc
  .uniqueArray(tensor, { selector: ({ name }) => name, maxLength: 12 })
  .map((all): WrittenTensor[] => all.filter((each) => Number.isInteger(valueBytes(each))));

function isAllowed(name: string): boolean {
  return name !== "__metadata__" && !name.split(".").some((part) => part in Object.prototype);
}

describe("a safetensors header", () => {
  it("reads what was written, whatever the order of names", () => {
    fc.assert(
      fc.property(tensors, (written) => {
        const { json, dataBytes } = headerOf(written);
        const found = readJson(json, dataBytes);
        expect([...found].sort(byName)).toEqual(
          written.map((each) => ({ ...each, bytes: valueBytes(each) })).sort(byName),
        );
      }),
    );
  });

  it("is read or refused, never more, when its bytes are changed", () => {
    const change = fc.record({ at: fc.nat(), kind: fc.constantFrom("set", "cut", "add"), byte: fc.nat(255) });
    fc.assert(
      fc.property(tensors, fc.array(change, { minLength: 1, maxLength: 4 }), (written, changes) => {
        const { json, dataBytes } = headerOf(written);
        const bytes = [...fileStart(json)];
        for (const { at, kind, byte } of changes) {
          bytes.splice(at % bytes.length, kind === "add" ? 0 : 1, ...(kind === "cut" ? [] : [byte]));
        }
        const total = bytes.length + dataBytes;
        try {
          const found = read(Uint8Array.from(bytes), total);
          expect(found.reduce((sum, each) => sum + each.bytes, 0)).toBeLessThanOrEqual(total);
        } catch (error) {
          expect(error).toBeInstanceOf(CheckpointError);
          expect((error as Error).message).toMatch(/^model\.safetensors \S/);
        }
      }),
      { numRuns: atNight(300) },
    );
  });

  const u8 = (begin: number, end: number, shape = `[${end - begin}]`): string =>
    `{"dtype":"U8","shape":${shape},"data_offsets":[${begin},${end}]}`;

  it.each<[string, string, number, RegExp]>([
    ["a fourth field", `{"a":${u8(0, 2).replace("{", '{"x":1,')}}`, 2, /has an unknown field "x" in tensor "a"/],
    [
      "a fourth field at the end",
      `{"a":${u8(0, 2).replace("}", ',"x":1}')}}`,
      2,
      /has an object with more than 3 keys/,
    ],
    ["equal names", `{"a":${u8(0, 2)},"a":${u8(0, 2)}}`, 2, /has the key "a" twice/],
    [
      "values on top of each other",
      `{"a":${u8(0, 2)},"b":${u8(1, 3)}}`,
      3,
      /"b" at bytes 1 to 3, and byte 2 is the next/,
    ],
    ["a gap between values", `{"a":${u8(0, 2)},"b":${u8(3, 4)}}`, 4, /"b" at bytes 3 to 4, and byte 2 is the next/],
    ["values that end before they begin", `{"a":${u8(2, 0, "[0]")}}`, 2, /"a" at bytes 2 to 0/],
    ["values beyond the file", `{"a":${u8(0, 10_737_418_240)}}`, 16, /"a" at bytes 0 to 10737418240, and has 16 bytes/],
    ["values that no tensor has", `{"a":${u8(0, 2)}}`, 3, /has 3 bytes of values, and its header states 2/],
    ["a shape of another size", `{"a":${u8(0, 2, "[3]")}}`, 2, /gives tensor "a" 2 bytes; U8 of \[3\] takes 3/],
    ["a shape beyond all numbers", `{"a":${u8(0, 2, "[4294967296,4294967296]")}}`, 2, /takes no whole number/],
    ["a negative size", `{"a":${u8(0, 2, "[-2]")}}`, 2, /a whole number from 0 is missing/],
    ["a size with a fraction", `{"a":${u8(0, 2, "[2.0]")}}`, 2, /a whole number from 0 is missing/],
    ["a size of twenty digits", `{"a":${u8(0, 2, "[18446744073709551616]")}}`, 2, /a whole number from 0 is missing/],
    ["too many dimensions", `{"a":${u8(0, 1, `[${"1,".repeat(64)}1]`)}}`, 1, /a list of more than 64 entries/],
    ["nesting", `{"a":{"dtype":"U8","shape":${"[".repeat(1e6)}`, 2, /a whole number from 0 is missing/],
    ["half a byte", '{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}', 2, /F4 of \[3\] takes no whole number/],
    ["a type of its own", '{"a":{"dtype":"I4","shape":[4],"data_offsets":[0,2]}}', 2, /the unknown type "I4"; .* BF16/],
    ["a type that every object has", '{"a":{"dtype":"toString","shape":[2],"data_offsets":[0,2]}}', 2, /unknown type/],
    ["a field of its own", '{"a":{"dtype":"U8","shape":[2],"size":2}}', 2, /unknown field "size" in tensor "a"/],
    [
      "a missing shape",
      '{"a":{"dtype":"U8","data_offsets":[0,2]}}',
      2,
      /lacks dtype, shape or data_offsets of tensor "a"/,
    ],
    ["a name that objects inherit", `{"__proto__":${u8(0, 2)}}`, 2, /a tensor named "__proto__"/],
    ["such a part of a name", `{"model.constructor.weight":${u8(0, 2)}}`, 2, /a tensor named "model\.constructor/],
    ["no name", `{"":${u8(0, 2)}}`, 2, /a tensor named ""/],
    ["a name of a page", `{"${"a".repeat(513)}":${u8(0, 2)}}`, 2, /a string of more than 512 characters/],
    ["metadata that is no text", '{"__metadata__":{"a":{}}}', 0, /is no JSON of this form: " is missing/],
    ["a list", "[]", 0, /is no JSON of this form: \{ is missing at character 0/],
    ["more behind it", `{"a":${u8(0, 2)}}x`, 2, /goes on where it should end/],
    ["nothing", "", 0, /is no JSON of this form/],
    ["an end in a string", '{"a', 0, /a string that breaks off/],
    ["an end in an escape", '{"a\\', 0, /a string that breaks off/],
    ["a malformed escape", `{"a\\u12":${u8(0, 2)}}`, 2, /a malformed string/],
  ])("is refused for %s", (_, json, dataBytes, reason) => {
    expect(refusal(() => readJson(json, dataBytes))).toMatch(reason);
  });

  it.each<[string, bigint, number, RegExp]>([
    ["10 GiB", 10n * 2n ** 30n, 100, /claims a header of 10737418240 bytes, of at most 100000000/],
    ["2^64 − 1", 2n ** 64n - 1n, 100, /claims a header of 18446744073709551615 bytes/],
    ["more than the file", 93n, 100, /breaks off: it claims a header of 93 bytes, and has 100 bytes in all/],
  ])("of %s is refused by its length alone", (_, claimed, bytes, reason) => {
    expect(refusal(() => headerBytes(fileStart("", claimed), { name: "model.safetensors", bytes }))).toMatch(reason);
  });

  it("is refused where the file is too short, or no text", () => {
    expect(refusal(() => read(Buffer.from("short"), 5))).toBe(
      "model.safetensors is no safetensors file: it has 5 bytes",
    );
    const bytes = Uint8Array.from([0x7b, 0xff, 0x7d]);
    expect(refusal(() => read(fileStart(bytes), 11))).toBe("model.safetensors has a header that is no UTF-8 text");
  });

  it("may end in spaces, have no tensors, and hold empty ones", () => {
    expect(readJson('{"__metadata__":null}  \n', 0)).toEqual([]);
    expect(readJson(`{"b":${u8(0, 2)},"a":${u8(0, 0, "[0,7]")}}`, 2).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("of fifty thousand tensors is read within the time limit of a test", () => {
    const many = Array.from({ length: 50_000 }, (_, i): WrittenTensor => ({ name: `t.${i}`, dtype: "U8", shape: [1] }));
    const { json, dataBytes } = headerOf(many);
    expect(readJson(json, dataBytes)).toHaveLength(50_000);
  });
});

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
