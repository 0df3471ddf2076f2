/** A real vLLM with a cache connector: what clients write into requests does not reach it, and did without the script. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import { AskingVllm } from "./asking-vllm";
import { SERVED } from "./tiny-stand";

let asking: AskingVllm;

beforeAll(async () => {
  asking = await AskingVllm.prepare();
});
afterAll(async () => {
  await asking?.stop();
});

const PARAMS = { do_remote_prefill: true };
const CASES: Readonly<Record<string, object>> = {
  "a mapping": { kv_transfer_params: PARAMS },
  "text in vllm_xargs": { vllm_xargs: { kv_transfer_params: "x" } },
  "a list in vllm_xargs": { vllm_xargs: { kv_transfer_params: ["x"] } },
};
const PATHS: Readonly<Record<string, object>> = {
  "/v1/completions": { prompt: "hello", max_tokens: 2 },
  "/v1/chat/completions": { messages: [{ role: "user", content: "hello" }], max_tokens: 2 },
  "/v1/responses": { input: "hello", max_output_tokens: 2 },
  "/v1/messages": { messages: [{ role: "user", content: "hello" }], max_tokens: 2 },
};

describe("a client that speaks to the connector", () => {
  it("is answered as if it had not, on every path", async () => {
    const vllm = await asking.start(true);
    try {
      for (const [path, body] of Object.entries(PATHS)) {
        for (const [name, fields] of Object.entries(CASES)) {
          const { status } = await vllm.post(path, { model: SERVED, ...body, ...fields });
          expect([path, name, status]).toEqual([path, name, 200]);
        }
      }
      expect(vllm.ending).toBeUndefined();
    } finally {
      await vllm.stop();
    }
  });

  it("ends the engine without the script", async () => {
    const vllm = await asking.start(false);
    try {
      const asked = { model: SERVED, ...PATHS["/v1/completions"], ...CASES["a mapping"] };
      await vllm.post("/v1/completions", asked, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
      await expect.poll(() => vllm.output(), { timeout: 60_000 }).toContain("a client said where a cache lies");
      await expect.poll(() => vllm.status(engineOf("vllm").health.ready), { timeout: 60_000 }).not.toBe(200);
    } finally {
      await vllm.stop();
    }
  });
});
