/** Writes safetensors files the way the format says, values left out or all zero. */
import { type StoredDtype, storedBits } from "../../../../planner/model/checkpoint/safetensors-header";

export interface WrittenTensor {
  readonly name: string;
  readonly dtype: StoredDtype;
  readonly shape: readonly number[];
}

/** Bytes of the values of one tensor. */
export function valueBytes({ dtype, shape }: WrittenTensor): number {
  return (shape.reduce((product, size) => product * size, 1) * storedBits(dtype)) / 8;
}

/** The header's JSON, tensors one after the other, and the bytes of all values. */
export function headerOf(tensors: readonly WrittenTensor[]): { readonly json: string; readonly dataBytes: number } {
  let at = 0;
  const entries = tensors.map((tensor) => {
    const begin = at;
    at += valueBytes(tensor);
    const info = { dtype: tensor.dtype, shape: tensor.shape, data_offsets: [begin, at] };
    return `${JSON.stringify(tensor.name)}:${JSON.stringify(info)}`;
  });
  return { json: `{"__metadata__":{"format":"pt"},${entries.join(",")}}`.replace(",}", "}"), dataBytes: at };
}

/** Length and header, without the values. */
export function fileStart(json: string | Uint8Array, claimed?: bigint): Uint8Array {
  const header = Buffer.from(json);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(claimed ?? BigInt(header.length));
  return Buffer.concat([length, header]);
}
