/** Effective model before memory is estimated: number types, cache type, loaded towers. */

import type { KvCacheDtype } from "../../../planner/memory/kv-cache";
import type { Dtype, ModelArchitecture, VisionTower } from "../../../planner/model/architecture";
import { dtypeNamed, formatFor } from "../../../planner/model/format-names";
import { Kept } from "../../../planner/model/kept";
import type { VllmOptions } from "./options";
import type { VllmRequest } from "./request";
import { type VllmConstants, vllmConstants } from "./versions";

/**
 * The request with the model as loaded: its own format is the loaded one, and `kvCacheDtype` "auto"
 * means the model's number type.
 * @throws UnknownFormatError
 */
export function asServed(request: VllmRequest): VllmRequest {
  const { constants } = vllmConstants(request.engine.version);
  const architecture = servedArchitecture(request.architecture, request.quantization, request.vllm ?? {}, constants);
  const kvCacheDtype = servedCacheDtype(request);
  return { ...request, architecture, kvCacheDtype, quantization: undefined };
}

const served = new Kept<ModelArchitecture, string, ModelArchitecture>();

/** One object per answer, because results are cached by architecture object. */
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
 * Number type of activations and unquantized weights: the requested one, else the checkpoint's,
 * with float32 as 16 bits (which type depends on the card, with no effect on memory). Source:
 * _get_and_verify_dtype in config.py (0.8.0) and config/model.py (0.11.0, 0.19.1, 0.33.0).
 */
function computedIn({ checkpointDtype }: ModelArchitecture, quantization = "", { dtype }: VllmOptions): Dtype {
  const asked = dtype ?? dtypeNamed(quantization);
  return asked ?? (checkpointDtype === "float32" ? "bfloat16" : checkpointDtype);
}

/**
 * No tower has inputs: vLLM then loads none (0.33.0: model_executor/models/interfaces.py,
 * _mark_tower_model).
 */
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
 * `auto` follows a checkpoint's fp8 request, depending on its form and the version; one version
 * even let it override the command line (utils/torch_utils.py resolve_kv_cache_dtype_string,
 * layers/attention/attention.py).
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
  // Only standard attention reads the compressed-tensors scheme: latent attention has separate code
  // (mla_attention.py).
  if (wish === "compressed-tensors" && layerSpecs.some(({ mixer }) => mixer.kind === "latent")) {
    return kvCacheDtype;
  }
  const obeyed = vllmConstants(engine.version).constants.fp8CacheOfCheckpoint[wish];
  return obeyed === "always" || (obeyed === "auto" && kvCacheDtype === "auto") ? "fp8" : kvCacheDtype;
}

/** Remarks on the above for readers of the estimate. */
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
