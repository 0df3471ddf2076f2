/** Bytes read and operations computed to serve a model, by cause. */
import { type KvCacheDtype, layerCaches } from "../memory/kv-cache";
import { DTYPE_BYTES, type Mixer, type ModelArchitecture, mixersOf } from "../model/architecture";
import { formatFor } from "../model/format-names";
import { Kept } from "../model/kept";
import { asMatrix } from "../model/parameters";
import { checkpointMatrixBytes, type WeightFormat } from "../model/quantization";
import { type ModelTensor, parametersEach, storedAs, tensorInventory } from "../model/tensors";

/** Matrices of one kind, all layers. */
export interface Matrices {
  readonly bytes: number;
  readonly parameters: number;
  /** Bits multiplied: 8 for FP8 weights with FP8 inputs; 16 where weights are unpacked first. */
  readonly computeBits: 16 | 8 | 4;
  /** Stored in fewer bits than multiplied. */
  readonly unpacked: boolean;
}

/** Caches of layers with the same window. */
export interface CacheReads {
  /** Read per cached and generated token, on one GPU of the group, all layers. */
  readonly bytesPerToken: number;
  /** @default all */
  readonly mostTokens?: number;
  /** Per cached and generated token, all GPUs and layers. */
  readonly operationsPerToken: number;
  /** Per prompt token: latent attention unpacks its vectors once for many queries. */
  readonly promptOperationsPerToken: number;
}

/** One model in one format, with caches divided over a tensor-parallel group. */
export interface ModelWork {
  readonly layers: number;
  readonly moeLayers: number;
  /** Layers with an indexer. */
  readonly indexedLayers: number;
  /** Kernels per pass, all layers. */
  readonly launches: number;
  readonly hiddenSize: number;
  /** Applied to every token, whatever its experts. */
  readonly dense: Matrices;
  /** Share of attention (and other mixers) in `dense`. */
  readonly mixerShare: number;
  /** All layers. */
  readonly experts?: Matrices & { readonly count: number; readonly perToken: number };
  /** Vocabulary × hidden size. */
  readonly head: Matrices;
  readonly caches: readonly CacheReads[];
  /** Of one sequence, read and written per token, on one GPU. */
  readonly stateBytes: number;
}

export interface WorkOptions {
  /** Set where the format differs from the checkpoint's. */
  readonly quantization?: string;
  readonly kvCacheDtype?: KvCacheDtype;
  readonly tensorParallel: number;
}

/** Tokens chosen by a sparse indexer: DeepSeek-V3.2, GLM-5 (`index_topk` of their config.json). */
const INDEXER_TOKENS = 2048;

const known = new Kept<ModelArchitecture, string, ModelWork>();

/** @throws UnknownFormatError */
export function modelWork(architecture: ModelArchitecture, options: WorkOptions): ModelWork {
  const { quantization, kvCacheDtype = "auto", tensorParallel } = options;
  return known.get(architecture, `${quantization ?? ""} ${kvCacheDtype} ${tensorParallel}`, () =>
    sumWork(architecture, formatFor(architecture, quantization), kvCacheDtype, tensorParallel),
  );
}

function sumWork(
  architecture: ModelArchitecture,
  format: WeightFormat,
  dtype: KvCacheDtype,
  tensorParallel: number,
): ModelWork {
  const inventory = tensorInventory(architecture).filter(({ part }) => part === "text");
  const inLayers = inventory.filter(({ placement }) => placement.at === "layer" || placement.at === "everywhere");
  const dense = inLayers.filter(({ kind }) => kind !== "expert");
  const experts = inLayers.filter(({ kind }) => kind === "expert");
  const head = inventory.filter(({ kind }) => kind === "head");
  const table = inventory.filter(({ kind }) => kind === "embedding").slice(0, 1);
  const summed = matricesOf(dense, format);
  const mixers = dense.filter(({ module }) => !/mlp|ffn|feed_forward|shared_expert|block_sparse_moe/.test(module));
  return {
    layers: architecture.layers,
    moeLayers: architecture.layerSpecs.filter(({ feedForward }) => feedForward.kind === "experts").length,
    indexedLayers: architecture.layerSpecs.filter(({ mixer }) => indexerOf(mixer) !== undefined).length,
    launches: KERNELS_PER_LAYER * architecture.layers + biasesIn(dense),
    hiddenSize: architecture.hiddenSize,
    dense: summed,
    mixerShare: summed.bytes > 0 ? matricesOf(mixers, format).bytes / summed.bytes : 0,
    ...(experts.length > 0 && { experts: { ...matricesOf(experts, format), ...routing(experts) } }),
    // A table that is also the head is read whole per step.
    head: matricesOf(head.length > 0 ? head : table, format),
    ...cacheWork(architecture, dtype, tensorParallel),
  };
}

/**
 * Kernels of a layer without biases in engines of 2023: two norms, fused query, key and value,
 * rotation, cache write, attention, output, fused gate and up, activation, down, two all-reduces
 * (vllm/model_executor/models/llama.py of 0.2).
 */
const KERNELS_PER_LAYER = 12;

/** Biases in separate kernels: one for query, key and value, which are one product. */
function biasesIn(tensors: readonly ModelTensor[]): number {
  return tensors.filter(({ module }) => /bias$/.test(module) && !/[kv]_proj\.bias$/.test(module)).length;
}

function routing(experts: readonly ModelTensor[]): { count: number; perToken: number } {
  const all = experts.reduce((sum, tensor) => sum + tensor.count, 0);
  const active = experts.reduce((sum, tensor) => sum + tensor.activeCount, 0);
  const count = Math.max(...experts.map((tensor) => tensor.count));
  return { count, perToken: (count * active) / all };
}

function matricesOf(tensors: readonly ModelTensor[], format: WeightFormat): Matrices {
  let [bytes, parameters] = [0, 0];
  for (const tensor of tensors) {
    bytes += tensor.count * (storedAs(tensor, format)?.bytes ?? checkpointMatrixBytes(format, asMatrix(tensor)));
    parameters += tensor.count * parametersEach(tensor);
  }
  const bits = parameters > 0 ? (bytes * 8) / parameters : 16;
  const computeBits = computeBitsOf(format, bits);
  return { bytes, parameters, computeBits, unpacked: bits < 0.75 * computeBits };
}

/** Formats that also quantize inputs compute in fewer bits; others unpack weights. */
function computeBitsOf({ rules }: WeightFormat, meanBits: number): 16 | 8 | 4 {
  const name = rules[0]?.scheme.name ?? "";
  if (meanBits > 12) {
    return 16;
  }
  if (/^(mx)?fp8/.test(name)) {
    return 8;
  }
  // MXFP4 experts use FP8 inputs where the card can.
  return name.startsWith("nvfp4") ? 4 : name.startsWith("mxfp4") ? 8 : 16;
}

function cacheWork(
  architecture: ModelArchitecture,
  dtype: KvCacheDtype,
  tensorParallel: number,
): Pick<ModelWork, "caches" | "stateBytes"> {
  const sums = new Map<
    number,
    { bytesPerToken: number; operationsPerToken: number; promptOperationsPerToken: number }
  >();
  const add = (
    mostTokens: number,
    bytesPerToken: number,
    operationsPerToken: number,
    ofPrompt = operationsPerToken,
  ): void => {
    const sum = sums.get(mostTokens) ?? { bytesPerToken: 0, operationsPerToken: 0, promptOperationsPerToken: 0 };
    sums.set(mostTokens, sum);
    sum.bytesPerToken += bytesPerToken;
    sum.operationsPerToken += operationsPerToken;
    sum.promptOperationsPerToken += ofPrompt;
  };
  let stateBytes = 0;
  for (const [index, cache] of layerCaches(architecture, dtype, tensorParallel).entries()) {
    const layer = architecture.layerSpecs[index];
    const mixers = layer === undefined ? [] : mixersOf(layer);
    // Read and write back.
    stateBytes += 2 * cache.stateBytes;
    for (const mixer of mixers) {
      const operations = operationsPerCachedToken(mixer);
      const ofPrompt = promptOperations(mixer);
      const indexer = indexerOf(mixer);
      const most = cache.scope.kind === "full" ? Number.POSITIVE_INFINITY : cache.scope.windowTokens;
      if (indexer === undefined) {
        // Layers without a cache read an earlier layer's.
        add(most, mixers.length === 1 ? cache.bytesPerToken : 0, operations, ofPrompt);
      } else {
        const keys = indexer.headDim * DTYPE_BYTES.bfloat16;
        add(Number.POSITIVE_INFINITY, Math.min(keys, cache.bytesPerToken), 2 * indexer.heads * indexer.headDim);
        // Each prompt token has its own choice: nothing is unpacked for many queries.
        add(INDEXER_TOKENS, Math.max(0, cache.bytesPerToken - keys), operations);
      }
      for (const { scope, pageBytes, blockTokens } of cache.paged ?? []) {
        if (scope.kind !== "full") {
          add(scope.windowTokens, pageBytes / blockTokens, 0);
        }
      }
    }
    if (mixers.length > 1) {
      add(Number.POSITIVE_INFINITY, cache.bytesPerToken, 0);
    }
  }
  const caches = [...sums].map(([mostTokens, sum]) => ({
    ...sum,
    ...(Number.isFinite(mostTokens) && { mostTokens }),
  }));
  return { caches, stateBytes };
}

function indexerOf(mixer: Mixer) {
  return mixer.kind === "attention" || mixer.kind === "latent" ? mixer.indexer : undefined;
}

/**
 * Multiplications and additions for scores and weighted sum, per query, cached token; all heads.
 */
function operationsPerCachedToken(mixer: Mixer): number {
  switch (mixer.kind) {
    case "attention":
      return 2 * mixer.heads * (mixer.headDim + (mixer.valueHeadDim ?? mixer.headDim));
    case "latent":
      // Queries multiply the compressed vector itself.
      return 2 * mixer.heads * (2 * mixer.kvLoraRank + mixer.ropeHeadDim);
    case "compressed":
      return (4 * mixer.heads * mixer.headDim) / (mixer.compression?.rate ?? 1);
    default:
      return 0;
  }
}

/** Prompts use unpacked keys and values of latent attention, head by head. */
function promptOperations(mixer: Mixer): number {
  return mixer.kind === "latent"
    ? 2 * mixer.heads * (mixer.nopeHeadDim + mixer.ropeHeadDim + mixer.valueHeadDim)
    : operationsPerCachedToken(mixer);
}
