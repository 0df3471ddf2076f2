import { expect, it } from "vitest";
import { servedFormat } from "../../planner/served-format";
import { modelOf } from "./fixtures";

it.each([
  ["qwen2.5-7b-instruct", {}, "BF16"],
  ["qwen2.5-7b-instruct", { args: { dtype: "float32" } }, "FP32"],
  ["qwen2.5-7b-instruct", { args: { dtype: "auto" } }, "BF16"],
  ["qwen2.5-7b-instruct", { args: { dtype: "float16" }, quantization: "fp8" }, "FP8"],
  ["qwen3-4b-awq", { args: { dtype: "float16" } }, /AWQ/],
])("names the format of %s with %j", (name, changes, format) => {
  expect(servedFormat(modelOf(name, changes))).toMatch(format);
});
