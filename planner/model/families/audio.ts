/**
 * Audio encoders, mostly conformers. Sources: transformers 5.19, modeling_gemma3n.py,
 * modeling_gemma4.py, modeling_gemma4_unified.py.
 */
import type { ConfigSource } from "../config-source";
import { ownValue } from "../own-value";
import { softTokenEmbedder } from "./other-towers";
import { type TowerTensor, towerTensor } from "./tower-tensor";

const towers: Readonly<Record<string, (source: ConfigSource, textHidden: number) => readonly TowerTensor[]>> = {
  gemma3n_audio: gemma3nTower,
  gemma4_audio: gemma4Tower,
  gemma4_unified_audio: frameProjector,
};

/** Weights of `audio_config`; empty without one. */
export function audioTensors(root: ConfigSource, textHidden: number): readonly TowerTensor[] {
  const source = root.section("audio_config");
  if (source === undefined) {
    return [];
  }
  const type = source.text("model_type", "");
  const tower = ownValue(towers, type);
  if (tower !== undefined) {
    return tower(source, textHidden);
  }
  source.problem("model_type", `unknown audio tower; known: ${Object.keys(towers).join(", ")}`);
  return [];
}

/** Frames of the raw wave, and one matrix. */
function frameProjector(source: ConfigSource, textHidden: number): readonly TowerTensor[] {
  return [whole("audio.projector", textHidden, source.size("audio_embed_dim", 640))];
}

function gemma3nTower(source: ConfigSource, textHidden: number): readonly TowerTensor[] {
  const conformer = conformerTensors(source, {
    layers: "conf_num_hidden_layers",
    heads: "conf_num_attention_heads",
    channels: "sscp_conv_channel_size",
    kernel: "conf_conv_kernel_size",
  });
  return [...conformer, ...softTokenEmbedder("audio", source, textHidden)];
}

function gemma4Tower(source: ConfigSource, textHidden: number): readonly TowerTensor[] {
  const hidden = source.size("hidden_size");
  const output = source.size("output_proj_dims", 1536);
  const conformer = conformerTensors(source, {
    layers: "num_hidden_layers",
    heads: "num_attention_heads",
    channels: "subsampling_conv_channels",
    kernel: "conv_kernel_size",
  });
  return [
    ...conformer,
    whole("audio.output", output, hidden),
    whole("audio.output.bias", output, 1),
    whole("audio.projector", textHidden, output),
  ];
}

interface ConformerKeys {
  readonly layers: string;
  readonly heads: string;
  readonly channels: string;
  readonly kernel: string;
}

/** Two downsampling convolutions, then attention layers between two half-steps. Held whole. */
function conformerTensors(source: ConfigSource, keys: ConformerKeys): readonly TowerTensor[] {
  const hidden = source.size("hidden_size");
  const layers = source.count(keys.layers);
  const headDim = Math.ceil(hidden / source.count(keys.heads));
  const [first = 128, second = 32] = source.integerList(keys.channels);
  return [
    whole("audio.convolutions", 9 * first * (1 + second) + first + second, 1),
    whole("audio.input", hidden, Math.floor(first / 4) * second),
    // queries, keys, values, relative keys and output
    whole("audio.attention", 5 * hidden, hidden, layers),
    // two blocks of four times the width
    whole("audio.feed_forward", 16 * hidden, hidden, layers),
    whole("audio.light_convolution", 3 * hidden, hidden, layers),
    whole("audio.vectors", (9 + source.count(keys.kernel, 5)) * hidden + headDim, 1, layers),
  ];
}

function whole(name: string, outputs: number, inputs: number, count = 1): TowerTensor {
  return towerTensor(name, outputs, inputs, count, "none");
}
