/** A LoRA adapter as PEFT writes it: what vLLM loads, without PEFT. */

export interface AdapterShape {
  /** Layers, each with these projections. */
  readonly layers: number;
  /** Inputs and outputs of each projection by its name, below `model.layers.<n>.`. */
  readonly projections: Readonly<Record<string, readonly [inputs: number, outputs: number]>>;
  readonly rank: number;
  /** Value of each number in both matrices. @default 0.01 */
  readonly value?: number;
}

/** Files of an adapter by name: adapter_config.json and adapter_model.safetensors, in float32. */
export function adapterFilesOf(shape: AdapterShape, config: object = {}): Record<string, Buffer> {
  const { rank, projections } = shape;
  const modules = Object.keys(projections).map((name) => name.split(".").at(-1));
  const adapterConfig = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: "example/base",
    r: rank,
    lora_alpha: 2 * rank,
    lora_dropout: 0,
    bias: "none",
    target_modules: [...new Set(modules)],
    ...config,
  };
  return {
    "README.md": Buffer.from("# an adapter"),
    "adapter_config.json": Buffer.from(JSON.stringify(adapterConfig)),
    "adapter_model.safetensors": safetensors(tensorsOf(shape)),
  };
}

interface Tensor {
  readonly name: string;
  readonly shape: readonly [rows: number, columns: number];
  readonly value: number;
}

function tensorsOf({ layers, projections, rank, value = 0.01 }: AdapterShape): readonly Tensor[] {
  return Array.from({ length: layers }, (_, layer) =>
    Object.entries(projections).flatMap(([name, [inputs, outputs]]): Tensor[] => {
      const module = `base_model.model.model.layers.${layer}.${name}`;
      return [
        { name: `${module}.lora_A.weight`, shape: [rank, inputs], value },
        { name: `${module}.lora_B.weight`, shape: [outputs, rank], value },
      ];
    }),
  ).flat();
}

/** Header length, header, values: https://github.com/huggingface/safetensors, format of 0.x. */
function safetensors(tensors: readonly Tensor[]): Buffer {
  const header: Record<string, object> = { __metadata__: { format: "pt" } };
  const values: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, value } of tensors) {
    const data = Buffer.from(new Float32Array(shape[0] * shape[1]).fill(value).buffer);
    header[name] = { dtype: "F32", shape, data_offsets: [offset, offset + data.length] };
    values.push(data);
    offset += data.length;
  }
  const text = JSON.stringify(header);
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([length, padded, ...values]);
}
