/**
 * Weight format of a checkpoint: `quantization_config` of config.json, else ModelOpt's
 * hf_quant_config.json, else the dtype. `torch_dtype` alone says nothing about quantized weights.
 */
import type { Dtype } from "./architecture";
import { type ConfigProblem, ConfigSource, isPlainObject, shortValue } from "./config-source";
import { anyLinear, modulePatterns, moduleSet } from "./module-pattern";
import { ownValue } from "./own-value";
import {
  type Fp8CacheWish,
  type QuantizationRule,
  type QuantizationScheme,
  schemes,
  unquantized,
  type WeightFormat,
} from "./quantization";

const KNOWN_QUANTIZATION_METHODS = [
  "fp8",
  "fbgemm_fp8",
  "awq",
  "gptq",
  "mxfp4",
  "compressed-tensors",
  "bitsandbytes",
  "modelopt",
] as const;

const DTYPES: Readonly<Record<string, Dtype>> = {
  float32: "float32",
  float: "float32",
  float16: "float16",
  half: "float16",
  bfloat16: "bfloat16",
};

/** Undefined where no level states it. */
export function readDtype(source: ConfigSource): Dtype | undefined {
  const key = source.firstKey("torch_dtype", "dtype");
  if (key === undefined) {
    return undefined;
  }
  const text = source.text(key, "").replace(/^torch\./, "");
  const dtype = ownValue(DTYPES, text);
  if (dtype === undefined) {
    source.problem(key, `expected one of ${Object.keys(DTYPES).join(", ")}`);
  }
  return dtype;
}

export function readQuantizationConfig(section: ConfigSource, baseDtype: Dtype): WeightFormat {
  const method = section
    .text(["quant_method", "quantization_method"], section.has("quant_algo") ? "modelopt" : "")
    .toLowerCase();
  const ignored = [
    ...section.textList("modules_to_not_convert"),
    ...section.textList("ignore"),
    ...section.textList("exclude_modules"),
  ];
  const rules = readRules(section, method);
  return {
    name: namesOf(rules) || baseDtype,
    baseDtype,
    method: isMixed(section, method) ? "modelopt_mixed" : method,
    rules,
    ignored: modulePatterns(ignored, section, "ignore"),
    fp8KvCache: fp8CacheWish(section),
  };
}

/** vLLM's name for it too (ModelOptMixedPrecisionConfig, 0.17.0 to 0.33.0). */
function isMixed(section: ConfigSource, method: string): boolean {
  return method.startsWith("modelopt") && section.text("quant_algo", "").toUpperCase() === "MIXED_PRECISION";
}

/**
 * Applies `expert_dtype` of config.json to experts: "fp4" where only they are MXFP4 in an FP8
 * checkpoint (vLLM 0.33.0: models/deepseek_v4/quant_config.py).
 */
export function withExpertDtype(format: WeightFormat, source: ConfigSource): WeightFormat {
  const key = "expert_dtype";
  const dtype = source.text(key, "fp8");
  if (dtype !== "fp4" && dtype !== "fp8") {
    source.problem(key, 'expected "fp4" or "fp8"');
  }
  if (dtype !== "fp4" || format.method !== "fp8") {
    return format;
  }
  const rules: readonly QuantizationRule[] = [{ targets: "experts", scheme: schemes.mxfp4() }, ...format.rules];
  return { ...format, name: namesOf(rules), rules };
}

function namesOf(rules: readonly QuantizationRule[]): string {
  return [...new Set(rules.map((rule) => rule.scheme.name))].join(" + ");
}

/** Undefined when the file has no such section. */
export function readModelOptFile(file: unknown, baseDtype: Dtype, problems: ConfigProblem[]): WeightFormat | undefined {
  if (!isPlainObject(file)) {
    problems.push({ path: "hf_quant_config.json", value: shortValue(file), message: "must be an object" });
    return undefined;
  }
  const section = new ConfigSource(file, "hf_quant_config.json", { problems, assumed: [] }).section("quantization");
  if (section === undefined || !section.has("quant_algo")) {
    return unquantized(baseDtype);
  }
  return readQuantizationConfig(section, baseDtype);
}

function readRules(section: ConfigSource, method: string): readonly QuantizationRule[] {
  const layers = (scheme: QuantizationScheme): readonly QuantizationRule[] => [{ targets: "layers", scheme }];
  switch (method) {
    case "fp8":
    case "fbgemm_fp8": {
      const [blockRows, blockColumns] = section.integerList("weight_block_size");
      if (method === "fbgemm_fp8") {
        return layers(schemes.eightBitRow("fp8"));
      }
      return layers(
        blockRows !== undefined && blockColumns !== undefined && blockRows > 0 && blockColumns > 0
          ? schemes.fp8Block(blockRows, blockColumns)
          : schemes.fp8Tensor(section.text("activation_scheme", "dynamic") === "static" ? "static" : "dynamic"),
      );
    }
    case "awq":
    case "awq_marlin":
      return layers(
        schemes.awq(section.count(["bits", "w_bit"], 4), section.size(["group_size", "q_group_size"], 128)),
      );
    case "gptq":
    case "gptq_marlin":
      return layers(readGptq(section));
    case "mxfp4":
      return [{ targets: "experts", scheme: schemes.mxfp4() }];
    case "bitsandbytes":
      return layers(
        section.flag(["load_in_4bit", "_load_in_4bit"], true)
          ? schemes.bitsAndBytes4(section.flag("bnb_4bit_use_double_quant", false))
          : schemes.eightBitRow("int8"),
      );
    case "compressed-tensors":
      return readCompressedTensors(section);
    case "modelopt":
    case "modelopt_fp4":
    case "modelopt_mixed":
      return readModelOpt(section);
    default:
      section.problem("quant_method", `unknown quantization method; known: ${KNOWN_QUANTIZATION_METHODS.join(", ")}`);
      return [];
  }
}

function readGptq(section: ConfigSource): QuantizationScheme {
  const bits = section.count("bits", 4);
  // group_size -1 means one group per row
  const perRow = section.raw("group_size") === -1;
  return perRow ? schemes.packedRow(bits, false) : schemes.gptq(bits, section.size("group_size", 128));
}

/** One rule per config group, with its targets and scheme. */
function readCompressedTensors(section: ConfigSource): readonly QuantizationRule[] {
  const groups = section.section("config_groups");
  if (groups === undefined) {
    section.problem("config_groups", "is missing; compressed-tensors needs it");
    return [];
  }
  return groups.keys().flatMap((name): readonly QuantizationRule[] => {
    const group = groups.section(name);
    const weights = group?.section("weights");
    if (group === undefined || weights === undefined) {
      return [];
    }
    const targets = group.textList("targets");
    return [
      {
        targets: targets.some(anyLinear) ? "layers" : modulePatterns(targets, group, "targets"),
        scheme: readCompressedScheme(weights),
      },
    ];
  });
}

function readCompressedScheme(weights: ConfigSource): QuantizationScheme {
  const bits = weights.count("num_bits", 8);
  const type = weights.text("type", "int");
  const strategy = weights.text("strategy", "tensor");
  const symmetric = weights.flag("symmetric", true);
  if (type === "float") {
    if (bits === 4) {
      return strategy === "tensor_group" || weights.raw("group_size") === 16 ? schemes.nvfp4() : schemes.mxfp4();
    }
    if (strategy === "block") {
      const [rows, columns] = weights.integerList("block_structure");
      return schemes.fp8Block(rows ?? 128, columns ?? 128);
    }
    return strategy === "channel" ? schemes.eightBitRow("fp8") : schemes.fp8Tensor();
  }
  if (strategy === "group") {
    return schemes.packedGroup(bits, weights.size("group_size", 128), symmetric);
  }
  return bits === 8 ? schemes.eightBitRow("int8") : schemes.packedRow(bits, symmetric);
}

const MODEL_OPT_ALGORITHMS =
  "FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, NVFP4, W4A16_NVFP4, MXFP4, MXFP8, W4A16_AWQ, W4A8_AWQ, MIXED_PRECISION";

function readModelOpt(section: ConfigSource): readonly QuantizationRule[] {
  const algorithm = section.text("quant_algo", "").toUpperCase();
  if (algorithm === "MIXED_PRECISION") {
    return readMixedPrecision(section);
  }
  const scheme = modelOptScheme(algorithm, section);
  if (scheme !== undefined) {
    return [{ targets: "layers", scheme }];
  }
  section.problem("quant_algo", `unknown algorithm; known: ${MODEL_OPT_ALGORITHMS}`);
  return [];
}

/** `quantized_layers` has the algorithm per quantized module; others stay in the base dtype. */
function readMixedPrecision(section: ConfigSource): readonly QuantizationRule[] {
  const layers = section.section("quantized_layers");
  if (layers === undefined) {
    section.problem("quantized_layers", "is missing; MIXED_PRECISION needs it");
    return [];
  }
  const modules = new Map<string, { readonly scheme: QuantizationScheme; readonly names: string[] }>();
  for (const name of layers.keys()) {
    const entry = layers.section(name);
    const scheme = entry && modelOptScheme(entry.text("quant_algo", "").toUpperCase(), entry);
    if (scheme === undefined) {
      layers.problem(name, `unknown algorithm; known: ${MODEL_OPT_ALGORITHMS}`);
      return [];
    }
    const group = modules.get(scheme.name) ?? { scheme, names: [] };
    group.names.push(name);
    modules.set(scheme.name, group);
  }
  return [...modules.values()].map(({ scheme, names }) => ({ targets: [moduleSet(names)], scheme }));
}

function modelOptScheme(algorithm: string, section: ConfigSource): QuantizationScheme | undefined {
  if (algorithm === "FP8") {
    return schemes.fp8Tensor("static");
  }
  if (algorithm === "FP8_PER_CHANNEL_PER_TOKEN") {
    return schemes.eightBitRow("fp8");
  }
  if (algorithm.startsWith("FP8_PB")) {
    return schemes.fp8Block(128, 128);
  }
  if (algorithm.includes("NVFP4")) {
    return schemes.nvfp4();
  }
  if (algorithm.includes("MXFP4")) {
    return schemes.mxfp4();
  }
  if (algorithm === "MXFP8") {
    return schemes.fp8Group(32);
  }
  if (algorithm.startsWith("W4A")) {
    return schemes.awq(4, section.size("group_size", 128));
  }
  return undefined;
}

/** ModelOpt names the algorithm, compressed-tensors describes it. */
/**
 * vLLM reads the setting of sections that name their method. ModelOpt's older hf_quant_config.json
 * names none (0.14.0 to 0.33.0: get_kv_cache_quant_algo_string in utils/torch_utils.py).
 */
function fp8CacheWish(section: ConfigSource): Fp8CacheWish | undefined {
  const scheme = section.raw("kv_cache_scheme");
  const named = String(section.raw("kv_cache_quant_algo") ?? scheme ?? "").toUpperCase();
  if (named !== "FP8" && !(isPlainObject(scheme) && scheme.num_bits === 8)) {
    return undefined;
  }
  const method = section.text("quant_method", "").toLowerCase();
  if (method.startsWith("modelopt")) {
    return "modelopt";
  }
  return method === "compressed-tensors" ? "compressed-tensors" : "unread";
}
