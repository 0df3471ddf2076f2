/** What a checkpoint's name says: which architecture, and which weight format a quantized re-upload has. */
import table from "./equal-models.json";

/** Words that change no dimension: how a model was tuned, who converted it, its weight format. */
const neutral =
  /^(?:instruct|chat|it|hf|base|thinking|meta|dynamic|quantized|compressed|tensors|marlin|block|fp8|fp4|bf16|fp16|int[48]|w4a16|w8a8|w8a16|awq|gptq|g?128|4bit|8bit|mxfp4|nvfp4|gguf|ct|kv|\d*bits?|autoround|bnb|unsloth|qat|torchao)$/;

/** Lower case, without the owner and without neutral words: "llama-3.1-8b" of "RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8". */
export function bareName(model: string): string {
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  const words = name
    .replace(/quantized\.(\w+)/, "$1")
    .split(/[-_]+/)
    .filter((word) => word !== "" && !neutral.test(word));
  return words.join("-");
}

/** The name itself, then the one whose dimensions it shares. */
export function architectureNames(model: string): readonly string[] {
  const bare = bareName(model);
  const same = (table.sameAs as Readonly<Record<string, string | undefined>>)[bare];
  return same === undefined ? [bare] : [bare, same];
}
