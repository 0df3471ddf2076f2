/**
 * Hyper-connections: a layer reads and writes several residual streams, mixed by small float32
 * matrices, whole on every GPU. Sources: vLLM 0.33.0, models/deepseek_v4/nvidia/model.py and
 * models/hy_v4/nvidia/hc.py.
 */
import type { OuterTensor, ProjectionShape } from "../architecture";

export interface HyperConnection {
  /** Residual streams (`hc_mult`). */
  readonly streams: number;
  readonly hidden: number;
  /** Rows of the mixing matrix: reads, writes and passes of one block. */
  readonly mixes: number;
  /** Kinds of mix, each with a scale. */
  readonly scales: number;
}

/** Before a layer's attention and before its feed-forward block. */
export function hyperConnectionTensors(connection: HyperConnection): readonly ProjectionShape[] {
  const { streams, hidden, mixes, scales } = connection;
  const whole = { split: "none", loadedDtype: "float32" } as const;
  return ["attn_hc", "ffn_hc"].flatMap((block) => [
    { name: `${block}.fn`, outputs: mixes, inputs: streams * hidden, ...whole },
    { name: `${block}.base`, outputs: mixes, inputs: 1, ...whole },
    { name: `${block}.scale`, outputs: scales, inputs: 1, ...whole },
  ]);
}

/** Joins the streams after the last layer. */
export function hyperConnectionHead({ streams, hidden }: HyperConnection): readonly OuterTensor[] {
  const place = { placement: "head", split: "none" } as const;
  return [
    { name: "model.hc_head.fn", rows: streams, columns: streams * hidden, ...place },
    { name: "model.hc_head.base", rows: streams, columns: 1, ...place },
    { name: "model.hc_head.scale", rows: 1, columns: 1, ...place },
  ];
}
