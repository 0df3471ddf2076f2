/** The script that keeps clients from cache connectors, in the server that vLLM runs it in (uvicorn), asked over HTTP. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Echo, EchoServer } from "./echo-server";

let server: EchoServer;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-connector-fields-"));
  server = await EchoServer.start("connector_fields.ConnectorFields", folder);
});
afterAll(async () => {
  await server?.stop();
});

async function read(body: string): Promise<unknown> {
  const { body: text } = (await (await server.ask("/v1/chat/completions", body)).json()) as Echo;
  return JSON.parse(text);
}

const BAD = [{ do_remote_prefill: true }, "x", ["x"], 1, true, null, {}];

describe("a request", () => {
  it("says nothing to a connector, by none of the fields that it reads", async () => {
    for (const bad of BAD) {
      const hidden = { kv_transfer_params: bad, ec_transfer_params: bad, kv_cache_report_mode: bad };
      const body = { prompt: "hello", ...hidden, vllm_xargs: hidden, sampling_params: { n: 1, extra_args: hidden } };
      const { kv_cache_report_mode: _, ...rest } = (await read(JSON.stringify(body))) as Record<string, unknown>;
      expect(rest).toEqual({ prompt: "hello", sampling_params: { n: 1 } });
    }
  });

  it("keeps what models read of vllm_xargs, and loses one that is no mapping", async () => {
    const body = { vllm_xargs: { ngram_size: 3, "lmcache.tag.a": "b", kv_transfer_params: "x" } };
    expect(await read(JSON.stringify(body))).toEqual({ vllm_xargs: { ngram_size: 3 } });
    expect(await read('{"vllm_xargs":"{}"}')).toEqual({});
  });

  it("loses fields that are there twice, or in another spelling of the same name", async () => {
    expect(await read('{"kv_transfer_params":1,"a":1,"\\u006bv_transfer_params":{}}')).toEqual({ a: 1 });
    expect(await read('{"vllm_xargs":{},"vllm_xargs":{"kv_transfer_params":"x"}}')).toEqual({});
  });

  it("is otherwise read as it was sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (body) => {
        expect(await read(JSON.stringify(body))).toEqual(JSON.parse(JSON.stringify(body)));
      }),
      { numRuns: 25 },
    );
  });

  it("as a form is refused: it has the same field as text", async () => {
    const form = new FormData();
    form.set("vllm_xargs", '{"kv_transfer_params":"x"}');
    const answer = await fetch(`${server.url}/v1/audio/transcriptions`, { method: "POST", body: form });
    expect(answer.status).toBe(415);
  });

  it("over a WebSocket is refused", async () => {
    expect(await server.upgrade("/v1/realtime")).toMatch(/^HTTP\/1\.1 403/);
  });
});
