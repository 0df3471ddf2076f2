import { type GgufTensor, gguf } from "./gguf";

const EMBEDDING = 64;
const HEADS = 4;
const KV_HEADS = 2;
const BLOCKS = 2;
const CONTEXT_TOKENS = 2048;
const SMALLEST_FEED_FORWARD = 128;

export interface TinyLlamaOptions {
  /** Models of other seeds have other weights, so other digests. */
  readonly seed?: number;
  /** Grows the feed-forward layers until the file has at least this many bytes; it has some 400 kB without. */
  readonly bytes?: number;
}

/**
 * A Llama model with random weights, whole enough for an engine to load, generate from and embed with. What it says is
 * nonsense, always of whole words, and ends only at the limit of the request: it never chooses its end-of-text token.
 */
export function tinyLlama({ seed = 1, bytes = 0 }: TinyLlamaOptions = {}): Buffer {
  const smallest = build(seed, SMALLEST_FEED_FORWARD);
  if (smallest.length >= bytes) {
    return smallest;
  }
  const bytesPerUnit = BLOCKS * 3 * EMBEDDING * Float32Array.BYTES_PER_ELEMENT;
  // A multiple of 32 keeps every tensor's rows in whole blocks, whatever the engine does with them.
  const more = Math.ceil((bytes - smallest.length) / bytesPerUnit / 32) * 32;
  return build(seed, SMALLEST_FEED_FORWARD + more);
}

function build(seed: number, feedForward: number): Buffer {
  const { tokens, scores, types, firstWord } = vocabulary();
  const random = uniform(seed);
  const matrix = (name: string, inputs: number, outputs: number): GgufTensor => ({
    name: `${name}.weight`,
    shape: [inputs, outputs],
    data: Float32Array.from({ length: inputs * outputs }, () => random() / Math.sqrt(inputs)),
  });
  const ones = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    shape: [EMBEDDING],
    data: new Float32Array(EMBEDDING).fill(1),
  });
  const keys = (EMBEDDING / HEADS) * KV_HEADS;
  const blocks = Array.from({ length: BLOCKS }, (_, block) => {
    const name = (part: string): string => `blk.${block}.${part}`;
    return [
      ones(name("attn_norm")),
      matrix(name("attn_q"), EMBEDDING, EMBEDDING),
      matrix(name("attn_k"), EMBEDDING, keys),
      matrix(name("attn_v"), EMBEDDING, keys),
      matrix(name("attn_output"), EMBEDDING, EMBEDDING),
      ones(name("ffn_norm")),
      matrix(name("ffn_gate"), EMBEDDING, feedForward),
      matrix(name("ffn_up"), EMBEDDING, feedForward),
      matrix(name("ffn_down"), feedForward, EMBEDDING),
    ];
  });
  const output = matrix("output", EMBEDDING, tokens.length);
  // Control and byte tokens all score 0: of some hundred words, forty or more score higher, and engines choose of those.
  output.data.fill(0, 0, firstWord * EMBEDDING);
  return gguf(
    {
      "general.architecture": "llama",
      "general.name": `tiny-${seed}`,
      "general.file_type": { uint32: 0 },
      "llama.context_length": { uint32: CONTEXT_TOKENS },
      "llama.embedding_length": { uint32: EMBEDDING },
      "llama.block_count": { uint32: BLOCKS },
      "llama.feed_forward_length": { uint32: feedForward },
      "llama.rope.dimension_count": { uint32: EMBEDDING / HEADS },
      "llama.attention.head_count": { uint32: HEADS },
      "llama.attention.head_count_kv": { uint32: KV_HEADS },
      "llama.attention.layer_norm_rms_epsilon": { float32: 1e-5 },
      "llama.vocab_size": { uint32: tokens.length },
      "tokenizer.ggml.model": "llama",
      "tokenizer.ggml.tokens": { strings: tokens },
      "tokenizer.ggml.scores": { float32s: scores },
      "tokenizer.ggml.token_type": { int32s: types },
      "tokenizer.ggml.unknown_token_id": { uint32: 0 },
      "tokenizer.ggml.bos_token_id": { uint32: 1 },
      "tokenizer.ggml.eos_token_id": { uint32: 2 },
    },
    [matrix("token_embd", EMBEDDING, tokens.length), ...blocks.flat(), ones("output_norm"), output],
  );
}

/** A SentencePiece vocabulary: control tokens, one token per byte for what no word covers, and words. */
function vocabulary() {
  const NORMAL = 1;
  const UNKNOWN = 2;
  const CONTROL = 3;
  const BYTE = 6;
  const consonants = [..."bdfgklmnprstvz"];
  const vowels = [..."aeiou"];
  const syllables = consonants.flatMap((consonant) => vowels.map((vowel) => `${consonant}${vowel}`));
  const words = [...syllables.map((syllable) => `▁${syllable}`), ...syllables, "▁", ...consonants, ...vowels];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const special = ["<unk>", "<s>", "</s>"];
  return {
    tokens: [...special, ...bytes, ...words],
    scores: [...special.map(() => 0), ...bytes.map(() => 0), ...words.map((word) => word.length)],
    types: [UNKNOWN, CONTROL, CONTROL, ...bytes.map(() => BYTE), ...words.map(() => NORMAL)],
    firstWord: special.length + bytes.length,
  };
}

/** Numbers from -1 to 1, the same for the same seed (xorshift32). */
function uniform(seed: number): () => number {
  let state = seed * 0x9e3779b1 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state | 0) / 2 ** 31;
  };
}
