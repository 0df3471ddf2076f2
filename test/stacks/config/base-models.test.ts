import { expect, it } from "vitest";
import { problemsWith } from "./samples";

const base = { model: "llama-3.1-8b", task: "chat" };

it.each([
  ["with vLLM", base],
  ["with Ray", { ...base, engine: "ray" }],
  ["with a commit of the same repository", { ...base, source: `hf://meta-llama/Llama-3.1-8B@${"a".repeat(40)}` }],
])("refuses chats of a base model %s", (_, chat) => {
  expect(problemsWith({ models: { chat } }).map(({ path, value }) => [path, value])).toEqual([
    ["models.chat.task", '"chat"'],
  ]);
});

it.each([
  ["as what it is", { model: "llama-3.1-8b" }],
  ["with a template", { ...base, vllm: { chatTemplate: "templates/chat.jinja" } }],
  ["with the weights of another repository", { ...base, source: "hf://acme/llama-3.1-8b-chat" }],
])("takes a base model %s", (_, chat) => {
  expect(problemsWith({ models: { chat } })).toEqual([]);
});
