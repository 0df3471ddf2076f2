/** Encoder families (embeddings and rerankers): no KV cache, no language-model head. */
import type { LayerSpec, OuterTensor } from "../architecture";
import type { ConfigSource } from "../config-source";
import { readRope } from "../rope";
import { readGroupedQueryAttention } from "./attention";
import { DIMENSION_KEYS, type FamilyReader, type TextModel } from "./family";

/** BERT and relatives: learned positions, biases everywhere, two norms a layer, a pooler. */
export const bertReader: FamilyReader = {
  modelTypes: ["bert", "roberta", "xlm-roberta", "camembert", "mpnet", "distilbert", "nomic_bert"],
  read(source) {
    const layers = source.count([...DIMENSION_KEYS.layers]);
    const hidden = source.size([...DIMENSION_KEYS.hidden, "dim"]);
    const positions = source.size("max_position_embeddings", 512);
    const heads = source.count([...DIMENSION_KEYS.heads]);
    const attention = {
      ...readGroupedQueryAttention(source, { queryKeyValueBias: true, outputBias: true }),
      heads,
      kvHeads: heads,
      ownsCache: false,
    };
    const layer: LayerSpec = {
      mixer: attention,
      feedForward: {
        kind: "dense",
        width: source.size([...DIMENSION_KEYS.intermediate, "hidden_dim"]),
        gated: false,
        bias: true,
      },
      normVectors: 2,
      normBias: true,
    };
    return encoder(
      source,
      Array.from({ length: layers }, () => layer),
      [
        table("embeddings.position_embeddings", positions, hidden),
        ...(source.optionalCount("type_vocab_size") > 0
          ? [table("embeddings.token_type_embeddings", source.count("type_vocab_size"), hidden)]
          : []),
        table("embeddings.LayerNorm", 2, hidden),
        table("pooler.dense", hidden + 1, hidden, "head"),
      ],
    );
  },
};

/** ModernBERT: rotary positions, gated feed-forward stated at half width, no biases. */
export const modernBertReader: FamilyReader = {
  modelTypes: ["modernbert"],
  read(source) {
    const layers = source.count([...DIMENSION_KEYS.layers]);
    const hidden = source.size([...DIMENSION_KEYS.hidden]);
    const layer: LayerSpec = {
      mixer: { ...readGroupedQueryAttention(source, {}), ownsCache: false },
      feedForward: { kind: "dense", width: source.size([...DIMENSION_KEYS.intermediate]), gated: true, bias: false },
      normVectors: 2,
      normBias: false,
    };
    // the first layer has no attention norm
    const first: LayerSpec = { ...layer, normVectors: 1 };
    return encoder(
      source,
      Array.from({ length: layers }, (_, index) => (index === 0 ? first : layer)),
      [table("embeddings.norm", 1, hidden), table("final_norm", 1, hidden, "head")],
    );
  },
};

function encoder(
  source: ConfigSource,
  layerSpecs: readonly LayerSpec[],
  outerTensors: readonly OuterTensor[],
): TextModel {
  const rope = readRope(source, { headDim: 1 });
  if (source.textList("architectures").some((name) => /(ForCausalLM|LMHeadModel)$/.test(name))) {
    source.problem("architectures", "is a causal language model; vLLM serves this family as an encoder only");
  }
  return {
    kind: "encoder",
    layerSpecs,
    rope: { ...rope, tables: [] },
    tieEmbeddingsByDefault: true,
    finalNormVectors: 0,
    finalNormBias: false,
    outerTensors,
    headless: true,
  };
}

function table(
  name: string,
  rows: number,
  columns: number,
  placement: OuterTensor["placement"] = "embedding",
): OuterTensor {
  return { name, rows, columns, placement, split: "none" };
}
