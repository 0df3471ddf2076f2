/** Audio towers of multimodal models: a conformer. Source: transformers 5.23, modeling_gemma4.py, Gemma4AudioModel. */
import type { ConfigSource } from "../config-source";
import { type TowerTensor, towerTensor } from "./tower-tensor";

const supportedType = "gemma4_audio";

/** The weights of a config's `audio_config`; empty without one. Every GPU holds them whole. */
export function audioTensors(root: ConfigSource, textHidden: number): readonly TowerTensor[] {
  const source = root.section("audio_config");
  if (source === undefined) return [];
  if (source.raw("model_type") !== supportedType) {
    source.problem("model_type", `unknown audio tower; known: ${supportedType}`);
    return [];
  }
  const hidden = source.size("hidden_size");
  const layers = source.count("num_hidden_layers");
  const output = source.size("output_proj_dims", 1536);
  const headDim = Math.ceil(hidden / source.count("num_attention_heads"));
  const [first = 128, second = 32] = source.integerList("subsampling_conv_channels");
  return [
    whole("audio.convolutions", 9 * first * (1 + second) + first + second, 1),
    whole("audio.input", hidden, Math.floor(first / 4) * second),
    // queries, keys, values, relative keys and the output
    whole("audio.attention", 5 * hidden, hidden, layers),
    // two blocks of four times the width
    whole("audio.feed_forward", 16 * hidden, hidden, layers),
    whole("audio.light_convolution", 3 * hidden, hidden, layers),
    whole("audio.vectors", (9 + source.count("conv_kernel_size", 5)) * hidden + headDim, 1, layers),
    whole("audio.output", output, hidden),
    whole("audio.output.bias", output, 1),
    whole("audio.projector", textHidden, output),
  ];
}

function whole(name: string, outputs: number, inputs: number, count = 1): TowerTensor {
  return towerTensor(name, outputs, inputs, count, "none");
}
