/** What vLLM makes of a checkpoint before any memory is counted: number types, cache type, and which towers it loads. */

import type { KvCacheDtype } from "../../../planner/memory/kv-cache";
import type { Dtype, ModelArchitecture, VisionTower } from "../../../planner/model/architecture";
import { dtypeNamed, formatFor } from "../../../planner/model/format-names";
import { Kept } from "../../../planner/model/kept";
import type { VllmOptions } from "./options";
import type { VllmRequest } from "./request";
import { type VllmConstants, vllmConstants } from "./versions";

/**
 * The request with the model as the engine serves it: its own format is the one that is loaded, `kvCacheDtype` is
 * "auto" only where that means the model's number type.
 * @throws UnknownFormatError
 */
export function asServed(request: VllmRequest): VllmRequest {
  const { constants } = vllmConstants(request.engine.version);
  const architecture = servedArchitecture(request.architecture, request.quantization, request.vllm ?? {}, constants);
  const kvCacheDtype = servedCacheDtype(request);
  return { ...request, architecture, kvCacheDtype, quantization: undefined };
}

const served = new Kept<ModelArchitecture, string, ModelArchitecture>();

/** One object per answer: what is computed for an architecture is kept under it. */
function servedArchitecture(
  architecture: ModelArchitecture,
  quantization: string | undefined,
  options: VllmOptions,
  constants: VllmConstants,
): ModelArchitecture {
  const dtype = computedIn(architecture, quantization, options);
  const tower = constants.skipsUnusedTowers && isTextOnly(architecture, options) ? "none" : options.encoderParallelism;
  return served.get(architecture, JSON.stringify([quantization, dtype, tower]), () => {
    const format = formatFor(architecture, quantization);
    return {
      ...architecture,
      checkpointDtype: dtype,
      quantization: { ...format, baseDtype: dtype, name: format.rules.length > 0 ? format.name : dtype },
      vision: tower === "none" ? undefined : towerAs(architecture.vision, tower),
    };
  });
}

/**
 * The number type of activations and of whatever is not quantized: what is asked for, else the checkpoint's, where
 * float32 becomes one of 16 bits (which one follows from the card, and is all the same to memory).
 * Source: _get_and_verify_dtype in config.py (0.8.0) and config/model.py (0.11.0, 0.19.1, 0.33.0).
 */
function computedIn({ checkpointDtype }: ModelArchitecture, quantization = "", { dtype }: VllmOptions): Dtype {
  const asked = dtype ?? dtypeNamed(quantization);
  return asked ?? (checkpointDtype === "float32" ? "bfloat16" : checkpointDtype);
}

/** Every tower has nothing to do: vLLM then loads none (0.33.0: model_executor/models/interfaces.py, _mark_tower_model). */
function isTextOnly({ vision }: ModelArchitecture, { languageModelOnly, mediaPerPrompt }: VllmOptions): boolean {
  if (languageModelOnly) {
    return true;
  }
  const hears = vision?.tensors.some(({ name }) => name.startsWith("audio")) ?? false;
  const unused = (modality: string): boolean => mediaPerPrompt?.[modality] === 0;
  return unused("image") && unused("video") && (unused("audio") || !hears);
}

function towerAs(vision: VisionTower | undefined, mode: VllmOptions["encoderParallelism"]): VisionTower | undefined {
  const isWhole = mode === "data" && vision?.dataParallel === true;
  return isWhole ? { ...vision, replicated: true } : vision;
}

/**
 * `auto` follows a checkpoint that asks for fp8, by the way it asks and by version; once, its wish even overrode what
 * the command line said (utils/torch_utils.py resolve_kv_cache_dtype_string, layers/attention/attention.py).
 */
export function servedCacheDtype({
  architecture: { quantization, layerSpecs },
  engine,
  kvCacheDtype,
}: Pick<VllmRequest, "architecture" | "engine" | "kvCacheDtype">): KvCacheDtype {
  const wish = quantization.fp8KvCache;
  if (wish === undefined || wish === "unread") {
    return kvCacheDtype;
  }
  // Only plain attention reads the scheme of compressed-tensors: latent attention has code of its own (mla_attention.py).
  if (wish === "compressed-tensors" && layerSpecs.some(({ mixer }) => mixer.kind === "latent")) {
    return kvCacheDtype;
  }
  const obeyed = vllmConstants(engine.version).constants.fp8CacheOfCheckpoint[wish];
  return obeyed === "always" || (obeyed === "auto" && kvCacheDtype === "auto") ? "fp8" : kvCacheDtype;
}

/** What of the above a reader of the estimate should know. */
export function servedNotes(request: VllmRequest): readonly string[] {
  const { architecture, engine, kvCacheDtype, vllm = {} } = request;
  const notes: string[] = [];
  if (architecture.quantization.fp8KvCache !== undefined && kvCacheDtype !== "fp8") {
    const asks = "the checkpoint asks for an fp8 KV cache";
    notes.push(
      servedCacheDtype(request) === "fp8"
        ? `${asks}, and vLLM ${engine.version} follows it: the cache is counted in fp8`
        : `${asks}, which would halve it; vLLM ${engine.version} takes ${kvCacheDtype} all the same: it is counted so`,
    );
  }
  const isTextAlone = architecture.vision !== undefined && isTextOnly(architecture, vllm);
  if (isTextAlone && !vllmConstants(engine.version).constants.skipsUnusedTowers) {
    notes.push(`vLLM ${engine.version} loads the tower for images even where no request may hold one: it is counted`);
  }
  if (vllm.encoderParallelism === "data" && architecture.vision?.dataParallel === false) {
    notes.push("vLLM cannot keep this family's tower whole on every GPU: it is counted as cut");
  }
  return notes;
}
