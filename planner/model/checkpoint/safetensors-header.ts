/**
 * Header of a safetensors file: names, types, shapes and offsets of tensors. Eight bytes hold its
 * length (little-endian), then JSON, then all values without gaps. Source: safetensors 0.8.0,
 * safetensors/src/tensor.rs (read_metadata, Metadata::validate), which refuses the same files; here
 * also equal names, unknown fields and numbers above 2^53.
 */
import { ownValue } from "../own-value";
import { CheckpointError } from "./errors";
import { JsonScanner } from "./json-scanner";
import dtypes from "./safetensors-dtypes.json";

/** In safetensors' spelling. */
export type StoredDtype = keyof typeof dtypes.bits;

export interface StoredTensor {
  readonly name: string;
  readonly dtype: StoredDtype;
  readonly shape: readonly number[];
  /** Of its values. */
  readonly bytes: number;
}

export interface SafetensorsFile {
  readonly name: string;
  readonly bytes: number;
}

/** Length field before the header. */
export const LENGTH_BYTES = 8;
/** MAX_HEADER_SIZE of safetensors. */
const MAX_HEADER_BYTES = 100_000_000;
/** 1 T models with quantized experts have some 300,000. */
export const MAX_TENSORS = 1_000_000;
/** The format has no limit; PyTorch's is 64. */
const MAX_DIMENSIONS = 64;

export function storedBits(dtype: StoredDtype): number {
  return dtypes.bits[dtype];
}

export function elementCount({ shape }: StoredTensor): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Whether a file is a Git LFS pointer: the content was not fetched. */
export function isLfsPointer(start: Uint8Array): boolean {
  return new TextDecoder().decode(start.subarray(0, LENGTH_BYTES)) === "version ";
}

/**
 * From the file's first eight bytes.
 * @throws CheckpointError
 */
export function headerBytes(start: Uint8Array, file: SafetensorsFile): number {
  if (start.length < LENGTH_BYTES || file.bytes < LENGTH_BYTES) {
    throw new CheckpointError(file.name, `is no safetensors file: it has ${file.bytes} bytes`);
  }
  const length = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true);
  if (length > MAX_HEADER_BYTES) {
    throw new CheckpointError(
      file.name,
      `is no safetensors file: it claims a header of ${length} bytes, of at most ${MAX_HEADER_BYTES}`,
    );
  }
  if (Number(length) > file.bytes - LENGTH_BYTES) {
    throw new CheckpointError(
      file.name,
      `breaks off: it claims a header of ${length} bytes, and has ${file.bytes} bytes in all`,
    );
  }
  return Number(length);
}

/**
 * In the order of values.
 * @param header bytes after the first eight
 * @throws CheckpointError for everything that safetensors would not load
 */
export function parseSafetensorsHeader(header: Uint8Array, file: SafetensorsFile): readonly StoredTensor[] {
  const fail = (reason: string): never => {
    throw new CheckpointError(file.name, reason);
  };
  const scanner = new JsonScanner(decoded(header, fail), fail);
  const tensors: PlacedTensor[] = [];
  scanner.object(MAX_TENSORS + 1, (key) => {
    if (key === "__metadata__") {
      readMetadata(scanner);
    } else {
      tensors.push(readTensor(scanner, checkedName(key, fail), fail));
    }
  });
  scanner.end();
  tensors.sort((a, b) => a.begin - b.begin || a.end - b.end);
  checkPlaces(tensors, file.bytes - LENGTH_BYTES - header.length, fail);
  return tensors.map(({ name, dtype, shape, begin, end }) => ({ name, dtype, shape, bytes: end - begin }));
}

type Fail = (reason: string) => never;

interface PlacedTensor extends Omit<StoredTensor, "bytes"> {
  readonly begin: number;
  readonly end: number;
}

function decoded(header: Uint8Array, fail: Fail): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(header);
  } catch {
    return fail("has a header that is no UTF-8 text");
  }
}

/** Names become keys of tables: properties that every JavaScript object inherits are refused. */
export function checkedName(name: string, fail: Fail): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (name === "" || /[\u0000-\u001f\u007f]/.test(name)) {
    fail(`has a tensor named ${JSON.stringify(name)}`);
  }
  if (name.split(".").some((part) => part in Object.prototype)) {
    fail(`has a tensor named ${JSON.stringify(name)}`);
  }
  return name;
}

/** Free text, unused. */
function readMetadata(scanner: JsonScanner): void {
  if (scanner.acceptNull()) {
    return;
  }
  scanner.object(10_000, () => void scanner.string(MAX_HEADER_BYTES));
}

function readTensor(scanner: JsonScanner, name: string, fail: Fail): PlacedTensor {
  const shape: number[] = [];
  const offsets: number[] = [];
  let dtypeName: string | undefined;
  const seen = new Set<string>();
  scanner.object(3, (key) => {
    seen.add(key);
    switch (key) {
      case "dtype":
        dtypeName = scanner.string(32);
        return;
      case "shape":
        scanner.list(MAX_DIMENSIONS, () => void shape.push(scanner.wholeNumber()));
        return;
      case "data_offsets":
        scanner.list(2, () => void offsets.push(scanner.wholeNumber()));
        return;
      default:
        return fail(`has an unknown field ${JSON.stringify(key)} in tensor ${shown(name)}`);
    }
  });
  const [begin, end] = offsets;
  if (dtypeName === undefined || !seen.has("shape") || begin === undefined || end === undefined) {
    return fail(`lacks dtype, shape or data_offsets of tensor ${shown(name)}`);
  }
  const dtype = ownValue(dtypeByName, dtypeName);
  if (dtype === undefined) {
    const known = Object.keys(dtypes.bits).join(", ");
    return fail(
      `has tensor ${shown(name)} of the unknown type ${JSON.stringify(dtypeName)}; safetensors knows ${known}`,
    );
  }
  return { name, dtype, shape, begin, end };
}

const dtypeByName: Readonly<Record<string, StoredDtype>> = Object.fromEntries(
  Object.keys(dtypes.bits).map((name) => [name, name as StoredDtype]),
);

/** Values follow each other from the header's end to the file's, with the sizes of their shapes. */
function checkPlaces(tensors: readonly PlacedTensor[], dataBytes: number, fail: Fail): void {
  let at = 0;
  for (const { name, dtype, shape, begin, end } of tensors) {
    if (end > dataBytes) {
      fail(`places tensor ${shown(name)} at bytes ${begin} to ${end}, and has ${dataBytes} bytes of values`);
    }
    if (begin !== at || end < begin) {
      fail(
        `places tensor ${shown(name)} at bytes ${begin} to ${end}, and byte ${at} is the next: they overlap, or gape`,
      );
    }
    const bytes = bytesOf(dtype, shape);
    if (bytes !== end - begin) {
      fail(
        `gives tensor ${shown(name)} ${end - begin} bytes; ${dtype} of [${shape.slice(0, 8).join(", ")}] takes ${bytes ?? "no whole number"}`,
      );
    }
    at = end;
  }
  if (at !== dataBytes) {
    fail(`has ${dataBytes} bytes of values, and its header states ${at}`);
  }
}

/** Undefined for partial bytes and beyond exact numbers (safetensors: ValidationOverflow). */
function bytesOf(dtype: StoredDtype, shape: readonly number[]): number | undefined {
  let elements = 1;
  for (const size of shape) {
    elements *= size;
    if (!Number.isSafeInteger(elements)) {
      return undefined;
    }
  }
  const bits = elements * dtypes.bits[dtype];
  return Number.isSafeInteger(bits) && bits % 8 === 0 ? bits / 8 : undefined;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 97)}...` : name);
}
