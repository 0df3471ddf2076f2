/** The proxy of split models over HTTP: before a server that notes what it gets, and before a real vLLM with a cache connector. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { prefillProxy } from "../../../components/serving/scripts/vllm-prefill-proxy.ts";
import { listed, MARK, request } from "../../components/serving/vllm-bodies";
import { AskingVllm } from "./asking-vllm";
import { SERVED } from "./tiny-stand";
import type { VllmProcess } from "./vllm-process";

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  vi.restoreAllMocks();
});

async function urlOf(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function proxyBefore(decode: string, prefill: string): Promise<string> {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const sizes = {
    maxBodyBytes: 2 ** 20,
    maxHeldBytes: 2 ** 26,
    contextTokens: 512,
    arrival: { graceMs: 20_000, bytesPerSecond: 375_000 },
  };
  return urlOf(prefillProxy({ port: 0, prefill, decode, ...sizes, prefillTimeoutMs: 30_000 }));
}

const post = (url: string, body: object, signal = AbortSignal.timeout(60_000)) =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal });

describe("bodies of strangers", () => {
  it("reach the decode engine without a field that is not listed, over HTTP", { timeout: 15 * 60_000 }, async () => {
    const found: unknown[] = [];
    const reached = { count: 0 };
    const decode = await urlOf(
      createServer((incoming, response) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const path = incoming.url as Parameters<typeof listed>[0];
          const known = new Set([...listed(path), "vllm_xargs"]);
          const unlisted = Object.keys(JSON.parse(text) as object).filter((name) => !known.has(name));
          if (unlisted.length > 0 || text.includes(MARK)) {
            found.push({ path, unlisted, text });
          }
          reached.count += 1;
          response.writeHead(200, { "content-type": "application/json" }).end("{}");
        });
      }),
    );
    // A prefill pod that says nothing of a cache.
    const prefill = await urlOf(
      createServer((incoming, response) => incoming.resume().on("end", () => response.end("{}"))),
    );
    const proxy = await proxyBefore(decode, prefill);
    const bodies = fc.sample(request, 100_000).values();
    const statuses = new Set<number>();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const { path, asked } of bodies) {
          const answer = await post(`${proxy}${path}`, asked);
          await answer.arrayBuffer();
          statuses.add(answer.status);
        }
      }),
    );
    expect({ found, reached: reached.count, statuses: [...statuses] }).toEqual({
      found: [],
      reached: 100_000,
      statuses: [200],
    });
  });
});

describe("a real vLLM behind the proxy", () => {
  let asking: AskingVllm;
  let vllm: VllmProcess;

  beforeAll(async () => {
    asking = await AskingVllm.prepare();
    // Without its own judge, what the proxy lets through ends the engine.
    vllm = await asking.start(false);
  });
  afterAll(async () => {
    await vllm?.stop();
    await asking?.stop();
  });

  it.each<[string, object]>([
    ["one prompt", { prompt: "The capital of France is" }],
    ["prompts in one list", { prompt: ["The capital of France is", "Der Hund bellt laut und"] }],
    [
      "lists of tokens",
      {
        prompt: [
          [1, 2, 3, 4],
          [5, 6, 7],
        ],
      },
    ],
    ["two answers", { prompt: "The capital of France is", n: 2, temperature: 1 }],
  ])("answers through it as it does itself: %s", async (_, asked) => {
    const proxy = await proxyBefore(vllm.url, vllm.url);
    const body = { model: SERVED, max_tokens: 8, temperature: 0, seed: 1, ...asked };
    const choices = async (url: string) => {
      const answer = await post(`${url}/v1/completions`, body);
      expect(answer.status).toBe(200);
      const { choices } = (await answer.json()) as { readonly choices: readonly { index: number; text: string }[] };
      return choices.map(({ index, text }) => ({ index, text }));
    };
    expect(await choices(proxy)).toEqual(await choices(vllm.url));
  });

  it("lives through what strangers send", { timeout: 15 * 60_000 }, async () => {
    const proxy = await proxyBefore(vllm.url, vllm.url);
    const lies = { do_remote_prefill: true, remote_host: MARK };
    const valid = {
      model: SERVED,
      max_tokens: 2,
      prompt: "p",
      messages: [{ role: "user", content: "p" }],
      vllm_xargs: { kv_transfer_params: lies },
    };
    for (const { path, asked } of fc.sample(request, 400)) {
      await post(`${proxy}${path}`, { ...asked, model: SERVED, max_tokens: 2 }).then((answer) => answer.arrayBuffer());
      const unlisted = Object.entries(asked).filter(([name]) => !listed(path).includes(name));
      const answer = await post(`${proxy}${path}`, { ...Object.fromEntries(unlisted), ...valid });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    }
    expect(vllm.ending).toBeUndefined();
    expect(vllm.output()).not.toContain("a client said where a cache lies");
    expect((await post(`${proxy}/v1/completions`, { model: SERVED, prompt: "p", max_tokens: 1 })).status).toBe(200);
  });
});
