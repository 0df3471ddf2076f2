/**
 * Weight formats: exact bytes per matrix with scales and zero points, and which matrices stay in
 * the base dtype, for every engine. Config parsing: quantization-config.ts.
 */
import { DTYPE_BYTES, type Dtype } from "./architecture";
import { Kept } from "./kept";

/** Coverage of one scale (and zero point). Columns are matrix inputs. */
export type ScaleLayout =
  | { readonly per: "tensor" }
  | { readonly per: "row" }
  | { readonly per: "group"; readonly groupSize: number }
  | { readonly per: "block"; readonly blockRows: number; readonly blockColumns: number };

export interface QuantizationScheme {
  /** E.g. "fp8-block-128x128", "int4-group-128", "mxfp4". */
  readonly name: string;
  readonly weightBits: number;
  readonly scale: ScaleLayout;
  readonly scaleBytes: number;
  /** Inputs too have a fixed scale in the checkpoint, which some kernels need. */
  readonly staticInputs?: true;
  readonly zeroPointBits?: number;
  /** Besides scales: global scales, packed shapes. */
  readonly bytesPerMatrix?: number;
  /** Checkpoint only (GPTQ's group index). */
  readonly checkpointBytesPerColumn?: number;
}

export interface QuantizationRule {
  /** "layers": layers' matrices; "experts": routed ones; "all": tables too; else module names. */
  readonly targets: "layers" | "experts" | "all" | readonly ModulePattern[];
  readonly scheme: QuantizationScheme;
  /** Only for inputs that are a multiple of this (GGUF super-blocks). */
  readonly columnsMultipleOf?: number;
}

export type ModulePattern = (moduleName: string) => boolean;

export interface WeightFormat {
  /** Short display name: schemes, or the base dtype. */
  readonly name: string;
  readonly baseDtype: Dtype;
  /** `quant_method` in lower case; undefined for unquantized weights. */
  readonly method?: string;
  /** The first match wins; empty: nothing is quantized. */
  readonly rules: readonly QuantizationRule[];
  /** Modules in the base dtype. */
  readonly ignored: readonly ModulePattern[];
  readonly fp8KvCache?: Fp8CacheWish;
}

/** Engines follow the first two from some version on, and no other. */
export type Fp8CacheWish = "modelopt" | "compressed-tensors" | "unread";

export interface WeightMatrix {
  readonly module: string;
  /** table: embeddings and output head; other: norms, biases, routers. */
  readonly kind: "linear" | "expert" | "table" | "other";
  readonly rows: number;
  readonly columns: number;
}

const chosen = new Kept<WeightFormat, string, QuantizationScheme | undefined>();

/**
 * Undefined for matrices in the base dtype. Cached by module, because matching ignore lists of
 * hundreds of names is slow.
 */
export function schemeFor(format: WeightFormat, matrix: WeightMatrix): QuantizationScheme | undefined {
  if (matrix.kind === "other" || format.rules.length === 0) {
    return undefined;
  }
  return chosen.get(format, `${matrix.kind} ${matrix.columns} ${matrix.module}`, () => matchingScheme(format, matrix));
}

function matchingScheme(format: WeightFormat, matrix: WeightMatrix): QuantizationScheme | undefined {
  if (format.ignored.some((matches) => matches(matrix.module))) {
    return undefined;
  }
  return format.rules.find(({ targets, columnsMultipleOf }) => {
    if (columnsMultipleOf !== undefined && matrix.columns % columnsMultipleOf !== 0) {
      return false;
    }
    if (targets === "layers") {
      return matrix.kind !== "table";
    }
    if (targets === "experts") {
      return matrix.kind === "expert";
    }
    return targets === "all" || targets.some((matches) => matches(matrix.module));
  })?.scheme;
}

/** In the checkpoint. */
export function checkpointMatrixBytes(format: WeightFormat, matrix: WeightMatrix): number {
  const scheme = schemeFor(format, matrix);
  if (scheme === undefined) {
    return matrix.rows * matrix.columns * DTYPE_BYTES[format.baseDtype];
  }
  return schemeBytes(scheme, matrix.rows, matrix.columns) + (scheme.checkpointBytesPerColumn ?? 0) * matrix.columns;
}

/** In memory: values, scales, zero points. */
export function schemeBytes(scheme: QuantizationScheme, rows: number, columns: number): number {
  const scales = scaleCount(scheme.scale, rows, columns);
  return (
    (rows * columns * scheme.weightBits) / 8 +
    scales * (scheme.scaleBytes + (scheme.zeroPointBits ?? 0) / 8) +
    (scheme.bytesPerMatrix ?? 0)
  );
}

function scaleCount(scale: ScaleLayout, rows: number, columns: number): number {
  switch (scale.per) {
    case "tensor":
      return 1;
    case "row":
      return rows;
    case "group":
      return rows * Math.ceil(columns / scale.groupSize);
    case "block":
      return Math.ceil(rows / scale.blockRows) * Math.ceil(columns / scale.blockColumns);
  }
}

export function unquantized(baseDtype: Dtype): WeightFormat {
  return { name: baseDtype, baseDtype, rules: [], ignored: [] };
}

export const schemes = {
  fp8Block: (blockRows: number, blockColumns: number): QuantizationScheme => ({
    name: `fp8-block-${blockRows}x${blockColumns}`,
    weightBits: 8,
    scale: { per: "block", blockRows, blockColumns },
    scaleBytes: 4,
  }),
  fp8Tensor: (inputs: "static" | "dynamic" = "dynamic"): QuantizationScheme => ({
    name: "fp8-tensor",
    weightBits: 8,
    scale: { per: "tensor" },
    scaleBytes: 4,
    ...(inputs === "static" && { staticInputs: true }),
  }),
  eightBitRow: (type: "fp8" | "int8"): QuantizationScheme => ({
    name: `${type}-row`,
    weightBits: 8,
    scale: { per: "row" },
    scaleBytes: 4,
  }),
  fp8Group: (groupSize: number): QuantizationScheme => ({
    name: `mxfp8-group-${groupSize}`,
    weightBits: 8,
    scale: { per: "group", groupSize },
    scaleBytes: 1,
  }),
  /** OCP microscaling: one 8-bit exponent per 32 values, 4.25 bits per weight. */
  mxfp4: (): QuantizationScheme => ({
    name: "mxfp4",
    weightBits: 4,
    scale: { per: "group", groupSize: 32 },
    scaleBytes: 1,
  }),
  /** NVIDIA FP4: one fp8 scale per 16 values and two float32 per matrix, 4.5 bits per weight. */
  nvfp4: (): QuantizationScheme => ({
    name: "nvfp4",
    weightBits: 4,
    scale: { per: "group", groupSize: 16 },
    scaleBytes: 1,
    bytesPerMatrix: 8,
  }),
  /** AWQ: 16-bit scale and a zero point per group. */
  awq: (bits: number, groupSize: number): QuantizationScheme => ({
    name: `awq-int${bits}-group-${groupSize}`,
    weightBits: bits,
    scale: { per: "group", groupSize },
    scaleBytes: 2,
    zeroPointBits: bits,
  }),
  /** AWQ plus a 32-bit group index per input in the checkpoint. */
  gptq: (bits: number, groupSize: number): QuantizationScheme => ({
    name: `gptq-int${bits}-group-${groupSize}`,
    weightBits: bits,
    scale: { per: "group", groupSize },
    scaleBytes: 2,
    zeroPointBits: bits,
    checkpointBytesPerColumn: 4,
  }),
  /** compressed-tensors pack-quantized: 16-bit scale per group, zero point when asymmetric. */
  packedGroup: (bits: number, groupSize: number, symmetric: boolean): QuantizationScheme => ({
    name: `int${bits}-group-${groupSize}`,
    weightBits: bits,
    scale: { per: "group", groupSize },
    scaleBytes: 2,
    zeroPointBits: symmetric ? 0 : bits,
    bytesPerMatrix: 16,
  }),
  packedRow: (bits: number, symmetric: boolean): QuantizationScheme => ({
    name: `int${bits}-row`,
    weightBits: bits,
    scale: { per: "row" },
    scaleBytes: 2,
    zeroPointBits: symmetric ? 0 : bits,
    bytesPerMatrix: 16,
  }),
  /** A number type, or a GGUF type by bits per weight with scales. */
  flat: (name: string, bitsPerWeight: number): QuantizationScheme => ({
    name,
    weightBits: bitsPerWeight,
    scale: { per: "tensor" },
    scaleBytes: 0,
  }),
  /** bitsandbytes NF4, double quantization: 8-bit absmax per 64 values, 32-bit per 256 of them. */
  bitsAndBytes4: (doubleQuantization: boolean): QuantizationScheme => ({
    name: "bitsandbytes-nf4",
    weightBits: 4,
    scale: { per: "group", groupSize: 64 },
    scaleBytes: doubleQuantization ? 1 + 4 / 256 : 4,
  }),
} as const;
