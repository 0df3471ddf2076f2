/** Sources in notations of other platforms: each is refused with what takes its place. */
import { ruleCases } from "./config/rule-cases";

const model = "qwen2.5-7b-instruct";

function refused(source: string, fix: string, changes: object = {}) {
  return [
    source,
    { models: { chat: { model, source } }, ...changes },
    { path: "models.chat.source", allowed: "", fix },
  ] as const;
}

ruleCases([
  refused(
    "gs://weights/llama/v3",
    "add storage.buckets.weights: {url: https://storage.googleapis.com, region: auto, secretKey: …} with an HMAC key, and write s3://weights/llama/v3",
  ),
  refused("ngc://nvidia/nemo/megatron:1.0", "run ngc registry model download-version nvidia/nemo/megatron:1.0, copy"),
  refused(
    "https://huggingface.co/Qwen/Qwen2.5-7B-Instruct",
    "write hf://Qwen/Qwen2.5-7B-Instruct (docs/own-weights.md)",
  ),
  refused("https://huggingface.co/Qwen/Qwen2.5-7B-Instruct/tree/v2", "hf://Qwen/Qwen2.5-7B-Instruct@v2 ("),
  refused("https://example.com/llama.safetensors", "copy the files to a bucket (s3://bucket/prefix)"),
  refused("oss://weights/llama", "or a volume (pvc://claim/path)"),
  refused("docker://ghcr.io/org/model:v1", "write oci://ghcr.io/org/model:v1"),
  refused("hostPath:///srv/models/qwen", "write file:///srv/models/qwen"),
  refused("/srv/models/qwen", "write file:///srv/models/qwen, a folder of the node, or pvc://claim/path"),
  refused("Qwen/Qwen2.5-7B-Instruct", "write hf://Qwen/Qwen2.5-7B-Instruct"),
]);
