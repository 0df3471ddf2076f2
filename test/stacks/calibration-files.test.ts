import { expect, it } from "vitest";
import { calibrationFileName } from "../../stacks/calibration/files";

const subject = {
  card: "L40S",
  engine: "vllm" as const,
  engineVersion: "0.33.0",
  model: "Qwen/Qwen2.5-7B-Instruct",
  tensorParallel: 1,
  pipelineParallel: 1,
};

it.each([
  [{}, "L40S-vllm-0.33.0-Qwen_Qwen2.5_7B_Instruct.json"],
  [{ tensorParallel: 2 }, "L40S-vllm-0.33.0-Qwen_Qwen2.5_7B_Instruct-tp2.json"],
  [{ pipelineParallel: 2 }, "L40S-vllm-0.33.0-Qwen_Qwen2.5_7B_Instruct-pp2.json"],
  [
    { quantization: "fp8", tensorParallel: 4, pipelineParallel: 2 },
    "L40S-vllm-0.33.0-Qwen_Qwen2.5_7B_Instruct-fp8-tp4-pp2.json",
  ],
  [{ model: "../odd  name_" }, "L40S-vllm-0.33.0-odd_name.json"],
])("a measurement of %j has a file of its own", (changes, name) => {
  expect(calibrationFileName({ ...subject, ...changes })).toBe(name);
});
