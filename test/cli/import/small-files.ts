/** Files of a few lines, each with one model. */
import { stringify } from "yaml";

export const compose = (service: Record<string, unknown>) =>
  stringify({ services: { a: { image: "vllm/vllm-openai:v0.33.0", gpus: "all", ...service } } });

export const command = (more: string) => compose({ command: `--model Qwen/Qwen3-8B --max-model-len 4096 ${more}` });

export const stack = (spec: Record<string, unknown>, model = "Qwen/Qwen3-8B") =>
  stringify({
    servingEngineSpec: {
      modelSpec: [
        { name: "a", repository: "vllm/vllm-openai", tag: "v0.33.0", modelURL: model, requestGPU: 1, ...spec },
      ],
    },
  });

export const config = (more: Record<string, unknown>) => ({ vllmConfig: { maxModelLen: 4096, ...more } });

export const kserve = (predictor: Record<string, unknown>, kind = "v1beta1") =>
  stringify({
    apiVersion: `serving.kserve.io/${kind}`,
    kind: "InferenceService",
    metadata: { name: "chat" },
    spec: { predictor },
  });
