/** Engines that are broken into, or sick: whatever they answer, it ends as an error of ours, small and soon. */
import { afterEach, describe, expect, test } from "vitest";
import type { Backend } from "../../../../services/model-control/src/backends/backend";
import { OllamaBackend } from "../../../../services/model-control/src/backends/ollama";
import { TritonBackend } from "../../../../services/model-control/src/backends/triton";
import { VllmBackend } from "../../../../services/model-control/src/backends/vllm";
import { ControlError, EngineUnavailable } from "../../../../services/model-control/src/errors";
import { HttpStub, type StubAnswer } from "../http-stub";

const signal = new AbortController().signal;
let stub: HttpStub | undefined;
afterEach(() => stub?.close());

async function address(answer: StubAnswer | ((path: string) => StubAnswer)): Promise<string> {
  stub = await HttpStub.listen(({ path }) => (typeof answer === "function" ? answer(path) : answer));
  return stub.url;
}

const BACKENDS: readonly (readonly [string, (url: string) => Backend])[] = [
  ["Ollama", (url) => new OllamaBackend(url)],
  ["Triton", (url) => new TritonBackend(url)],
  ["vLLM", (url) => new VllmBackend(url, { models: ["m"] })],
];
const manyModels = Array.from({ length: 100_000 }, (_, i) => ({ name: `m${i}:1`, size: 1 }));
const ANSWERS: readonly (readonly [string, StubAnswer])[] = [
  ["null", { body: "null" }],
  ["a number", { body: "1" }],
  ["wrong types", { body: { models: { a: 1 }, data: 7, version: [] } }],
  ["wrong entries", { body: { models: [null, { name: 1 }], data: [null] } }],
  ["sizes beyond all bounds", { body: '{"models":[{"name":"m:1","size":1e308}],"data":[{"id":1e308}]}' }],
  ["a name of a million characters", { body: { models: [{ name: "m".repeat(1e6), size: 1 }], data: [{}] } }],
  ["100,000 models", { body: { models: manyModels, data: manyModels } }],
  ["nested lists", { body: `${"[".repeat(50_000)}${"]".repeat(50_000)}` }],
  ["HTML", { body: "<html>hello</html>" }],
  ["HTML with 404", { status: 404, body: `<html>${"x".repeat(100_000)}</html>` }],
  ["a redirect", { status: 302, body: "" }],
  ["an error of 15 MB", { status: 500, body: { error: "e".repeat(15_000_000) } }],
  ["17 MB", { body: "x".repeat(17_000_000) }],
];

describe.each(BACKENDS)("a hostile %s", (_, backendOf) => {
  test.each(ANSWERS)("that answers with %s", async (_name, answer) => {
    const error = await backendOf(await address(answer))
      .models(signal)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ControlError);
    expect((error as Error).message.length).toBeLessThan(1_000);
  });
});

describe("a hostile pull", () => {
  type Lines = StubAnswer["lines"] | ((gone: AbortSignal) => AsyncIterable<object>);

  async function pullError(lines: Lines): Promise<ControlError> {
    stub = await HttpStub.listen(({ gone }) => ({ lines: typeof lines === "function" ? lines(gone) : lines }));
    const { url } = stub;
    const error = await new OllamaBackend(url).pull("m:1", () => undefined, signal).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ControlError);
    expect((error as Error).message.length).toBeLessThan(1_000);
    return error as ControlError;
  }

  test("with an error of 60 kB keeps the beginning and the end of it", async () => {
    const { message } = await pullError([{ error: `pull model manifest: 400: ${"x".repeat(60_000)} the cause` }]);
    expect(message).toMatch(/^the pull of m:1 failed: pull model manifest: 400: x+ … x+ the cause$/);
  });

  test("with an error of 15 MB, as Ollama passes on a registry's whole answer", async () => {
    const error = await pullError([{ error: `pull model manifest: 400: ${"x".repeat(15_000_000)}` }]);
    expect(error.message).toMatch(/ longer than 65536 bytes; .* \{"error":"pull model manifest/);
  });

  test.each([["null"], ["[]"], ['"text"'], [{ status: 7 }], [{ digest: "a", total: -1 }], [{ total: "many" }]])(
    "with the line %j is unavailable, not an internal error",
    async (line) => {
      const error = await pullError([
        { status: "pulling manifest" },
        typeof line === "string" ? JSON.parse(line) : line,
      ]);
      expect(error).toBeInstanceOf(EngineUnavailable);
    },
  );

  test("with a blank line is unavailable, too", async () => {
    const url = await address({ body: `${JSON.stringify({ status: "pulling manifest" })}\n\n` });
    await expect(new OllamaBackend(url).pull("m:1", () => undefined, signal)).rejects.toThrow(EngineUnavailable);
  });

  test("that floods leaves time for others, and ends as soon as it is cancelled", async () => {
    const line = JSON.stringify({ status: "pulling" });
    const url = await address({ body: `${line}\n`.repeat(50_000) });
    const cancel = new AbortController();
    const pulling = new OllamaBackend(url).pull("m:1", () => undefined, cancel.signal);
    setTimeout(() => cancel.abort(new Error("cancelled")), 300);
    const begun = performance.now();
    await expect(pulling).rejects.toThrow("cancelled");
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test("with a status of 60 kB", async () => {
    await pullError([{ status: "s".repeat(60_000) }]);
  });

  test("with parts without end", async () => {
    const begun = performance.now();
    let sent = 0;
    async function* endless(gone: AbortSignal): AsyncGenerator<object> {
      for (; sent < 1e6 && !gone.aborted; sent++) {
        yield { status: "pulling", digest: `sha256:${sent}`, total: 10, completed: 1 };
        if (sent % 100 === 0) {
          await new Promise(setImmediate);
        }
      }
    }
    expect((await pullError(endless)).message).toBe("the pull reports more than 1000 layers");
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});

test("a hostile vLLM's metrics cost no time", async () => {
  const metrics = "vllm:request_success_total{\n".repeat(70_000);
  const url = await address((path) => {
    if (path === "/metrics") {
      return { body: metrics };
    }
    return { body: path === "/v1/models" ? { data: [{ id: "m" }] } : { is_sleeping: false } };
  });
  const begun = performance.now();
  expect(await new VllmBackend(url, { models: ["m"] }).models(signal)).toMatchObject([{ name: "m", loaded: true }]);
  expect(performance.now() - begun).toBeLessThan(5_000);
});
