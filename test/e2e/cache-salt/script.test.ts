/** The script that salts prefix caches, in the server that vLLM runs it in (uvicorn), asked over HTTP. */
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Echo, EchoServer } from "./echo-server";

const PATHS = ["/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/embeddings", "/v2/rerank"];

/** Where vLLM reads parts of prompts, by path. */
const PARTS: Readonly<Record<string, (parts: readonly object[]) => object>> = {
  "/v1/chat/completions": (content) => ({ messages: [{ role: "user", content }] }),
  "/v1/chat/completions/batch": (content) => ({ messages: [[{ role: "user", content }]] }),
  "/v1/responses": (content) => ({ input: [{ role: "user", content }] }),
  "/v1/responses?of=tools": (output) => ({ input: [{ type: "function_call_output", call_id: "a", output }] }),
  "/v1/embeddings": (content) => ({ messages: [{ role: "user", content }] }),
  "/v1/score": (content) => ({ data_1: "a", data_2: { content } }),
  "/v2/rerank": (content) => ({ query: { content: [] }, documents: [{ content }] }),
  "/inference/v1/generate": (parts) => ({ token_ids: [1], content_parts: parts }),
};

const MEDIA: readonly object[] = [
  { type: "image_url", image_url: null },
  { type: "image_url" },
  { image_url: "data:image/png;base64,AA==" },
  { type: "input_audio", input_audio: null },
  { video_embeds: null },
  { type: "input_image", image_url: null },
];

const CALLERS = 8;
/** Answers before the key is another, and after it. */
const CALLS = 200;

let folder: string;
let server: EchoServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "inference-stacks-cache-salt-"));
  writeKey("one");
  server = await EchoServer.start("cache_salt.CacheSalt", folder, {
    CACHE_SALT_KEY: join(folder, "key"),
    CACHE_SALT_SHARED: JSON.stringify([["web", "batch"]]),
    CACHE_SALT_BEAMS: "refused",
  });
});
afterAll(async () => {
  await server?.stop();
});

/** As the kubelet writes a Secret: a folder of each version, and links that turn to the newest at once. */
function writeKey(text: string): void {
  const version = join(folder, `..${text}`);
  mkdirSync(version);
  writeFileSync(join(version, "key"), text);
  symlinkSync(`..${text}`, join(folder, "..data_tmp"));
  renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  if (text === "one") {
    symlinkSync("..data/key", join(folder, "key"));
  }
}

function ask(body: string | Buffer, consumer?: string, path = "/v1/completions") {
  return server.ask(path, body, consumer === undefined ? {} : { "x-consumer-id": consumer });
}

async function read(body: object, consumer?: string, path?: string): Promise<Readonly<Record<string, unknown>>> {
  const { body: text } = (await (await ask(JSON.stringify(body), consumer, path)).json()) as Echo;
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const saltOf = async (consumer?: string) => (await read({}, consumer)).cache_salt;

describe("a request", () => {
  it("gets the salt of its consumer on every path, whatever it says itself", async () => {
    const salts = new Set<unknown>();
    for (const path of PATHS) {
      for (const own of [{}, { cache_salt: "mine" }, { cache_salt: null }, { cache_salt: ["web"] }]) {
        salts.add((await read({ prompt: "hello", ...own }, "web", path)).cache_salt);
      }
    }
    expect([...salts]).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  it("shares it with the consumer's group alone, and nobody has it without a name", async () => {
    expect(await saltOf("batch")).toBe(await saltOf("web"));
    const salts = [await saltOf("web"), await saltOf("partner"), await saltOf(), await saltOf("other")];
    expect(new Set(salts).size).toBe(salts.length);
  });

  it.each(Object.entries(PARTS))("of %s names no key of a cache that others find", async (path, bodyOf) => {
    const uuids = ["invoice-4711", "\ud800", "", 7, null, { a: 1 }, ["a"]];
    const media = MEDIA.flatMap((part) => uuids.map((uuid) => ({ ...part, uuid })));
    const bare = MEDIA.flatMap((part) => uuids.map(() => part));
    expect(await read(bodyOf(media), "web", path)).toEqual({ ...bodyOf(bare), cache_salt: await saltOf("web") });
  });

  it("names none in another spelling, or twice, or as hashes of content", async () => {
    const twice = String.raw`{"input":[{"content":[{"image_url":null,"uuid":"a","\u0075uid":"b","t\u0079pe":"x"}]}]}`;
    const { body } = (await (await ask(twice, "web")).json()) as Echo;
    expect(JSON.parse(body)).toMatchObject({ input: [{ content: [{ image_url: null, type: "x" }] }] });
    expect(body).not.toContain("uuid");
    const features = { mm_hashes: { image: ["a"] }, mm_placeholders: {} };
    expect((await ask(JSON.stringify({ token_ids: [1], features }), "web")).status).toBe(400);
  });

  it("keeps every other uuid: of tools, their calls, documents and text", async () => {
    const properties = { uuid: { type: "string" }, image_url: { type: "string" } };
    const body = {
      messages: [
        { role: "user", content: [{ type: "text", text: "hello", uuid: "a" }], uuid: "b" },
        { role: "assistant", content: [{ type: "tool_use", name: "look", input: { uuid: "c", image_url: "d" } }] },
      ],
      documents: [{ uuid: "e", title: "f" }],
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties } } }],
      uuid: "g",
      image_url: "h",
    };
    expect(await read(body, "web")).toEqual({ ...body, cache_salt: await saltOf("web") });
  });

  it("of several consumers is refused", async () => {
    for (const consumer of ["web,batch", "group web batch"]) {
      expect([consumer, (await ask("{}", consumer)).status]).toEqual([consumer, 400]);
    }
  });

  it("for a beam search is refused where the release drops the salt", async () => {
    for (const beams of [true, "true", 1]) {
      expect([beams, (await ask(JSON.stringify({ use_beam_search: beams }), "web")).status]).toEqual([beams, 400]);
    }
    expect((await ask(JSON.stringify({ use_beam_search: false }), "web")).status).toBe(200);
  });

  it("is otherwise read as it was sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (body) => {
        const { cache_salt: salt, ...rest } = await read(body, "partner");
        const { cache_salt: _, ...sent } = body;
        expect(salt).toBe(await saltOf("partner"));
        expect(rest).toEqual(JSON.parse(JSON.stringify(sent)));
      }),
      { numRuns: 25 },
    );
  });

  it("in another encoding of JSON, or with the field twice, gets it too", async () => {
    const twice = (await (await ask('{"cache_salt":"a","cache_salt":"b"}', "web")).json()) as Echo;
    const wide = (await (await ask(Buffer.from('{"prompt":"ü"}', "utf16le"), "web")).json()) as Echo;
    for (const { body } of [twice, wide]) {
      expect(JSON.parse(body)).toMatchObject({ cache_salt: await saltOf("web") });
    }
  });

  it("that nobody can read is refused, before the engine reads it otherwise", async () => {
    const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    for (const body of ["[]", "null", '{"prompt":', '{"prompt":"}', "prompt=hello", deep]) {
      const answer = await ask(body, "web");
      expect([body.slice(0, 20), answer.status]).toEqual([body.slice(0, 20), 400]);
      expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", code: 400 } });
    }
  });

  it("of more than 32 MiB is refused", async () => {
    expect((await ask(Buffer.alloc(32 * 2 ** 20 + 1, "x"), "web")).status).toBe(413);
  });

  it("without a body, or with a form, passes as it is", async () => {
    const empty = (await (await fetch(`${server.url}/sleep?level=1`, { method: "POST" })).json()) as Echo;
    expect(empty.body).toBe("");
    const form = new FormData();
    form.set("file", "sound");
    const answer = await fetch(`${server.url}/v1/audio/transcriptions`, { method: "POST", body: form });
    expect(((await answer.json()) as Echo).body).toContain("sound");
  });

  it("over a WebSocket is refused: its messages have no field for a salt", async () => {
    expect(await server.upgrade("/v1/realtime")).toMatch(/^HTTP\/1\.1 403/);
  });

  it("has a new salt once the key is another, and is answered all the while", async () => {
    const before = await saltOf("web");
    let asking = true;
    const salts: unknown[] = [];
    const ask = async () => {
      while (asking) {
        salts.push(await saltOf("web"));
      }
    };
    const asked = Promise.all(Array.from({ length: CALLERS }, ask));
    await until(() => salts.length > CALLS);
    writeKey("two");
    await until(() => salts.at(-1) !== before);
    const rotated = salts.length;
    await until(() => salts.length > rotated + CALLS);
    asking = false;
    await asked;
    const after = await saltOf("web");
    expect(new Set(salts)).toEqual(new Set([before, after]));
    // What was under way then may have had the old one.
    expect(salts.slice(rotated + CALLERS)).not.toContain(before);
    expect(await saltOf("batch")).toBe(after);
  });
});
