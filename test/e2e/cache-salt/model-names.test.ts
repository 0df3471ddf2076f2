/** The script that keeps consumers to names of models, in the server that vLLM runs it in (uvicorn), asked over HTTP. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Echo, EchoServer } from "./echo-server";

let server: EchoServer;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-model-names-"));
  const limits = JSON.stringify({ acme: ["acme"], zenith: ["zenith", "chat"] });
  server = await EchoServer.start("model_names.ModelNames", folder, { MODEL_NAMES: limits });
});
afterAll(async () => {
  await server?.stop();
});

const ask = (body: string, consumer: string) => server.ask("/v1/chat/completions", body, { "x-consumer-id": consumer });

async function status(body: string, consumer: string): Promise<number> {
  return (await ask(body, consumer)).status;
}

describe("a consumer that is kept to names", () => {
  it("calls these, and is told as the gateway tells it of any other", async () => {
    expect(await status('{"model":"acme"}', "acme")).toBe(200);
    expect(await status('{"model":"chat"}', "zenith")).toBe(200);
    for (const body of ['{"model":"zenith"}', '{"model":"chat"}', "{}", '{"model":null}', '{"model":["acme"]}']) {
      const answer = await ask(body, "acme");
      expect([body, answer.status]).toEqual([body, 403]);
      expect(await answer.json()).toMatchObject({ error: { code: "model_not_allowed" } });
    }
  });

  it("is read as vLLM reads: the last of two names, in these letters alone", async () => {
    expect(await status('{"model":"acme","model":"zenith"}', "acme")).toBe(403);
    expect(await status('{"model":"zenith","Model":"acme","MODEL":"acme"}', "acme")).toBe(403);
    const { body } = (await (await ask('{"model":"zenith","\\u006dodel":"acme"}', "acme")).json()) as Echo;
    expect(body).toBe('{"model":"acme"}');
  });

  it("sends no forms, and is one consumer", async () => {
    const form = new FormData();
    form.set("model", "zenith");
    const headers = { "x-consumer-id": "acme" };
    const answer = await fetch(`${server.url}/v1/audio/transcriptions`, { method: "POST", body: form, headers });
    expect(answer.status).toBe(415);
    expect(await status('{"model":"zenith"}', "web,acme")).toBe(400);
  });

  it("names its model in the body alone: neither in SageMaker's header nor over a WebSocket", async () => {
    const adapter = { "X-Amzn-SageMaker-Adapter-Identifier": "zenith" };
    const invoke = (consumer: string) =>
      server.ask("/invocations", '{"model":"acme"}', { "x-consumer-id": consumer, ...adapter });
    expect([(await invoke("acme")).status, (await invoke("web")).status]).toEqual([403, 200]);
    const [refused, passed] = [
      await server.upgrade("/v1/realtime", "acme"),
      await server.upgrade("/v1/realtime", "web"),
    ];
    expect(refused).toMatch(/^HTTP\/1\.1 403/);
    expect(passed).not.toBe(refused);
  });
});

describe("another consumer", () => {
  it("calls any", async () => {
    expect(await status('{"model":"zenith"}', "web")).toBe(200);
    expect(await status('{"model":"acme"}', "")).toBe(200);
  });
});
