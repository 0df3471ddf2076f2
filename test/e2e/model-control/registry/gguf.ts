/** Writes GGUF version 3, little-endian: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

/** What metadata values can be here; numbers say which of GGUF's types they are. */
export type GgufValue =
  | string
  | { readonly uint32: number }
  | { readonly float32: number }
  | { readonly strings: readonly string[] }
  | { readonly int32s: readonly number[] }
  | { readonly float32s: readonly number[] };

/** A tensor of 32-bit floats. */
export interface GgufTensor {
  readonly name: string;
  /** Lengths of the dimensions, the one that runs fastest first. */
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const VERSION = 3;
/** Tensors begin at multiples of this many bytes; the format's own default. */
const ALIGNMENT = 32;
const TYPE = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 } as const;
const FLOAT32_TENSOR = 0;

/** The bytes of a GGUF file. */
export function gguf(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  const header = [Buffer.from("GGUF"), uint32(VERSION), uint64(tensors.length), uint64(entries.length)];
  for (const [key, value] of entries) {
    header.push(string(key), ...typed(value));
  }
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    header.push(string(name), uint32(shape.length), ...shape.map(uint64), uint32(FLOAT32_TENSOR), uint64(offset));
    offset += aligned(data.byteLength);
  }
  const contents = tensors.map(({ data }) => padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)));
  return Buffer.concat([padded(Buffer.concat(header)), ...contents]);
}

function typed(value: GgufValue): Buffer[] {
  if (typeof value === "string") {
    return [uint32(TYPE.string), string(value)];
  }
  if ("uint32" in value) {
    return [uint32(TYPE.uint32), uint32(value.uint32)];
  }
  if ("float32" in value) {
    return [uint32(TYPE.float32), float32(value.float32)];
  }
  if ("strings" in value) {
    return array(TYPE.string, value.strings.map(string));
  }
  if ("int32s" in value) {
    return array(TYPE.int32, value.int32s.map(int32));
  }
  return array(TYPE.float32, value.float32s.map(float32));
}

function array(type: number, items: readonly Buffer[]): Buffer[] {
  return [uint32(TYPE.array), uint32(type), uint64(items.length), ...items];
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}
