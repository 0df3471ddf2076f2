/** Any body that vLLM's request classes could take, and what strangers may add: nothing unlisted reaches an engine. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMembers } from "../../../components/serving/scripts/json-members.ts";
import * as engines from "../../../components/serving/scripts/vllm-request.ts";
import { atNight } from "../../harness/property-runs";
import { type Json, jsonOf, LIES, listed, MARK, membersOf, request } from "./vllm-bodies";

type CompletionPath = engines.CompletionPath;

const prefillBody = (body: Json) => jsonOf(engines.prefillBody(membersOf(body)));
const decodeBody = (body: Json, lies: Json | undefined) =>
  jsonOf(engines.decodeBody(membersOf(body), lies && Buffer.from(JSON.stringify(lies))));
function engineRequest(path: CompletionPath, asked: Json) {
  const { body, splits } = engines.engineRequest(path, membersOf(asked), 1_000);
  return { body: jsonOf(body), splits };
}

const ASKED = prefillBody({}).kv_transfer_params;

/** Written beside the table, so that a row of it that lets too much split is seen. */
function isOneSequence(path: CompletionPath, { n, best_of, use_beam_search, prompt_embeds, prompt }: Json): boolean {
  const one = [n, best_of].every((count) => count === undefined || count === null || count === 1);
  const plain = path === "/v1/chat/completions" || (prompt_embeds ?? null) === null;
  const flat =
    typeof prompt === "string" || (Array.isArray(prompt) && prompt.every((token) => Number.isInteger(token)));
  return one && plain && (use_beam_search ?? false) === false && (path === "/v1/chat/completions" || flat);
}

describe("requests to vLLM's engines", () => {
  it("hold no field that is not listed, and nothing of where clients say that a cache lies", () => {
    fc.assert(
      fc.property(request, ({ path, asked }) => {
        const { body, splits } = engineRequest(path, asked);
        const sent = [prefillBody(body), decodeBody(body, splits ? LIES : undefined)];
        const known = new Set(["stream", "max_tokens", "kv_transfer_params", "vllm_xargs", ...listed(path)]);
        expect({
          unlisted: sent.flatMap(Object.keys).filter((name) => !known.has(name)),
          marked: JSON.stringify(sent).includes(MARK),
          caches: sent.map(({ kv_transfer_params: lies }) => lies),
          splitsMany: splits && !isOneSequence(path, asked),
        }).toEqual({ unlisted: [], marked: false, caches: [ASKED, splits ? LIES : undefined], splitsMany: false });
      }),
      { numRuns: atNight(100_000) },
    );
  }, 300_000);

  it("hold what clients ask for, unchanged", () => {
    fc.assert(
      fc.property(request, ({ path, asked }) => {
        const { body } = engineRequest(path, asked);
        for (const name of listed(path)) {
          expect(body[name]).toEqual(asked[name]);
        }
        expect(Object.prototype.toString.call(body.vllm_xargs ?? {})).toBe("[object Object]");
      }),
      { numRuns: atNight(2_000) },
    );
  });

  it("keep the salt of the prefix cache, and the arguments that models of vLLM's own read", () => {
    const asked = { prompt: "p", cache_salt: "s", vllm_xargs: { ngram_size: 30, kv_transfer_params: "x", own: 1 } };
    expect(engineRequest("/v1/completions", asked)).toEqual({
      body: { prompt: "p", cache_salt: "s", vllm_xargs: { ngram_size: 30 } },
      splits: true,
    });
  });

  it.each<[string, Json, boolean]>([
    ["one text", { prompt: "p" }, true],
    ["one text and all counts of one", { prompt: "p", n: 1, best_of: null, use_beam_search: false }, true],
    ["one list of tokens", { prompt: [1, 2, 3] }, true],
    ["no prompt", {}, false],
    ["a list of one text", { prompt: ["p"] }, false],
    ["a list of texts", { prompt: ["The capital of France is", "Der Hund bellt laut und"] }, false],
    ["lists of tokens", { prompt: [[1], [2, 3]] }, false],
    ["tokens and a text", { prompt: [1, "p"] }, false],
    ["two answers", { prompt: "p", n: 2 }, false],
    ["two answers as text, which vLLM reads as a number", { prompt: "p", n: "2" }, false],
    ["the best of two", { prompt: "p", best_of: 2 }, false],
    ["beam search", { prompt: "p", use_beam_search: "true" }, false],
    ["embeddings", { prompt: "p", prompt_embeds: "AAAA" }, false],
  ])("split completions of one sequence alone: %s", (_, asked, splits) => {
    expect(engineRequest("/v1/completions", asked).splits).toBe(splits);
  });

  it.each<[string, Json, boolean]>([
    ["text", { messages: [{ role: "user", content: "hi" }] }, true],
    ["an image", { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] }] }, true],
    ["embeddings", { messages: [{ role: "user", content: [{ type: "prompt_embeds", data: "AAAA" }] }] }, false],
    ["the word", { messages: [{ role: "user", content: "what is prompt_embeds?" }] }, false],
    ["two answers", { messages: [], n: 2 }, false],
    ["beam search", { messages: [], use_beam_search: true }, false],
  ])("split chats of one sequence alone: %s", (_, asked, splits) => {
    expect(engineRequest("/v1/chat/completions", asked).splits).toBe(splits);
  });

  it("find embeddings whose type is written with escapes", () => {
    const text = String.raw`{"messages":[{"content":[{"type":"prompt\u005fembeds"}]}]}`;
    expect(engines.engineRequest("/v1/chat/completions", membersOf(JSON.parse(text) as Json), 9).splits).toBe(false);
    expect(engines.engineRequest("/v1/chat/completions", readMembers(Buffer.from(text)), 9).splits).toBe(false);
  });
});
