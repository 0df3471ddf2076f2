/**
 * Weights and states of layers with a fixed state: Mamba, delta nets, lightning attention, short
 * convolutions.
 */
import type { ProjectionShape, RecurrentMixer } from "../architecture";

export interface Mamba2Shape {
  readonly hidden: number;
  readonly heads: number;
  readonly headDim: number;
  readonly groups: number;
  readonly stateSize: number;
  readonly kernel: number;
  readonly convolutionBias: boolean;
  readonly projectionBias: boolean;
  readonly norm: boolean;
}

/** Mamba 2: transformers modeling_mamba2.py, Mamba2Mixer. */
export function mamba2(shape: Mamba2Shape): RecurrentMixer {
  const inner = shape.heads * shape.headDim;
  // inputs and outputs of the state, shared by groups of heads
  const grouped = 2 * shape.groups * shape.stateSize;
  const convolution = inner + grouped;
  const byGroups = { units: shape.groups };
  return {
    kind: "recurrent",
    variant: "mamba2",
    convolutionStateElements: convolution * (shape.kernel - 1),
    recurrentStateElements: inner * shape.stateSize,
    grouping: {
      heads: shape.heads,
      groups: shape.groups,
      convolutionStateElements: grouped * (shape.kernel - 1),
    },
    projections: [
      matrix("in_proj", 2 * inner + shape.heads, shape.hidden, "outputs"),
      { ...matrix("in_proj", grouped, shape.hidden, "outputs"), ...byGroups },
      ...biasIf(shape.projectionBias, "in_proj.bias", inner + convolution + shape.heads),
      matrix("conv1d", inner, shape.kernel, "outputs"),
      { ...matrix("conv1d", grouped, shape.kernel, "outputs"), ...byGroups },
      ...biasIf(shape.convolutionBias, "conv1d.bias", convolution),
      matrix("A_log", shape.heads, 1, "outputs"),
      matrix("D", shape.heads, 1, "outputs"),
      matrix("dt_bias", shape.heads, 1, "outputs"),
      ...biasIf(shape.norm, "norm", inner),
      matrix("out_proj", shape.hidden, inner, "inputs"),
      ...biasIf(shape.projectionBias, "out_proj.bias", shape.hidden),
    ],
  };
}

export interface Mamba1Shape {
  readonly hidden: number;
  readonly inner: number;
  readonly stateSize: number;
  readonly kernel: number;
  readonly timeStepRank: number;
  readonly convolutionBias: boolean;
  readonly projectionBias: boolean;
  /** Norms on time step and state inputs (Jamba). */
  readonly innerNorms: boolean;
}

/** Mamba 1: transformers modeling_mamba.py, MambaMixer. */
export function mamba1(shape: Mamba1Shape): RecurrentMixer {
  const parameters = shape.timeStepRank + 2 * shape.stateSize;
  return {
    kind: "recurrent",
    variant: "mamba1",
    convolutionStateElements: shape.inner * (shape.kernel - 1),
    recurrentStateElements: shape.inner * shape.stateSize,
    projections: [
      matrix("in_proj", 2 * shape.inner, shape.hidden, "outputs"),
      ...biasIf(shape.projectionBias, "in_proj.bias", 2 * shape.inner),
      matrix("conv1d", shape.inner, shape.kernel, "outputs"),
      ...biasIf(shape.convolutionBias, "conv1d.bias", shape.inner),
      matrix("x_proj", parameters, shape.inner, "inputs"),
      matrix("dt_proj", shape.inner, shape.timeStepRank, "outputs"),
      matrix("dt_proj.bias", shape.inner, 1, "outputs"),
      matrix("A_log", shape.inner, shape.stateSize, "outputs"),
      matrix("D", shape.inner, 1, "outputs"),
      ...biasIf(shape.innerNorms, "inner_norms", parameters),
      matrix("out_proj", shape.hidden, shape.inner, "inputs"),
      ...biasIf(shape.projectionBias, "out_proj.bias", shape.hidden),
    ],
  };
}

export interface LinearAttentionShape {
  readonly hidden: number;
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly keyHeadDim: number;
  readonly valueHeadDim: number;
  readonly kernel: number;
}

/** Gated delta net: transformers modeling_qwen3_next.py, Qwen3NextGatedDeltaNet. */
export function gatedDeltaNet(shape: LinearAttentionShape): RecurrentMixer {
  const keys = shape.keyHeads * shape.keyHeadDim;
  const values = shape.valueHeads * shape.valueHeadDim;
  return {
    kind: "recurrent",
    variant: "gated-delta-net",
    convolutionStateElements: (2 * keys + values) * (shape.kernel - 1),
    recurrentStateElements: shape.valueHeads * shape.keyHeadDim * shape.valueHeadDim,
    projections: [
      matrix("in_proj_qkvz", 2 * keys + 2 * values, shape.hidden, "outputs"),
      matrix("in_proj_ba", 2 * shape.valueHeads, shape.hidden, "outputs"),
      matrix("conv1d", 2 * keys + values, shape.kernel, "outputs"),
      matrix("dt_bias", shape.valueHeads, 1, "outputs"),
      matrix("A_log", shape.valueHeads, 1, "outputs"),
      matrix("norm", shape.valueHeadDim, 1, "none"),
      matrix("out_proj", shape.hidden, values, "inputs"),
    ],
  };
}

/** Kimi delta attention: modeling_kimi.py, KimiDeltaAttention. */
export function kimiDelta(shape: { hidden: number; heads: number; headDim: number; kernel: number }): RecurrentMixer {
  const width = shape.heads * shape.headDim;
  const streams = ["q", "k", "v"] as const;
  return {
    kind: "recurrent",
    variant: "kimi-delta",
    convolutionStateElements: 3 * width * (shape.kernel - 1),
    recurrentStateElements: shape.heads * shape.headDim * shape.headDim,
    projections: [
      ...streams.map((stream) => matrix(`${stream}_proj`, width, shape.hidden, "outputs")),
      ...streams.map((stream) => matrix(`${stream}_conv1d`, width, shape.kernel, "outputs")),
      matrix("f_a_proj", shape.headDim, shape.hidden, "none"),
      matrix("f_b_proj", width, shape.headDim, "outputs"),
      matrix("g_a_proj", shape.headDim, shape.hidden, "none"),
      matrix("g_b_proj", width, shape.headDim, "outputs"),
      matrix("b_proj", shape.heads, shape.hidden, "outputs"),
      matrix("A_log", shape.heads, 1, "outputs"),
      matrix("dt_bias", width, 1, "outputs"),
      matrix("o_norm", shape.headDim, 1, "none"),
      matrix("o_proj", shape.hidden, width, "inputs"),
    ],
  };
}

/** Lightning attention: modeling_minimax.py, MiniMaxLightningAttention. */
export function lightningAttention(shape: { hidden: number; heads: number; headDim: number }): RecurrentMixer {
  const width = shape.heads * shape.headDim;
  return {
    kind: "recurrent",
    variant: "lightning",
    convolutionStateElements: 0,
    recurrentStateElements: shape.heads * shape.headDim * shape.headDim,
    projections: [
      matrix("qkv_proj", 3 * width, shape.hidden, "outputs"),
      matrix("output_gate", width, shape.hidden, "outputs"),
      matrix("norm", width, 1, "outputs"),
      matrix("out_proj", shape.hidden, width, "inputs"),
    ],
  };
}

/** Gated short convolution: transformers modeling_lfm2.py, Lfm2ShortConv; vLLM layers/mamba/short_conv.py. */
export function shortConvolution(shape: { hidden: number; kernel: number; bias: boolean }): RecurrentMixer {
  const { hidden, kernel, bias } = shape;
  return {
    kind: "recurrent",
    variant: "short-convolution",
    convolutionStateElements: hidden * (kernel - 1),
    recurrentStateElements: 0,
    projections: [
      matrix("in_proj", 3 * hidden, hidden, "outputs"),
      ...biasIf(bias, "in_proj.bias", 3 * hidden),
      matrix("conv", hidden, kernel, "outputs"),
      ...biasIf(bias, "conv.bias", hidden),
      matrix("out_proj", hidden, hidden, "inputs"),
      ...biasIf(bias, "out_proj.bias", hidden),
    ],
  };
}

/** Vectors have one input. */
export function matrix(
  name: string,
  outputs: number,
  inputs: number,
  split: ProjectionShape["split"],
): ProjectionShape {
  return { name, outputs, inputs, split };
}

/** Split like the outputs; empty without a bias. */
export function biasIf(present: boolean, name: string, size: number): readonly ProjectionShape[] {
  return present ? [matrix(name, size, 1, "outputs")] : [];
}
