/** Requests that are too large, too slow, or of too many parts, to the API's own process with less memory than its pod has. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ControlStand } from "../../e2e/model-control/control-stand";
import { ended, infer } from "../../e2e/model-control/inference-calls";
import { tinyLlama } from "../../e2e/model-control/registry";
import { type Api, INFER } from "../../e2e/model-control/start-api";

const MEBIBYTE = 1024 * 1024;
const GIGABYTE = 1_000_000_000;
/** The pod has 512 MiB in all. */
const HEAP = { NODE_OPTIONS: "--max-old-space-size=400" };
const REQUEST_SECONDS = 3;
/** What an answer of three tokens to somebody else may take meanwhile, in seconds. */
const PATIENCE = 3;

let stand: ControlStand;
let api: Api;
let model = "";

beforeAll(async () => {
  stand = await ControlStand.start();
});
afterEach(() => stand.stopReplicas());
afterAll(() => stand?.stop());

async function start(inference: object = {}): Promise<void> {
  api = await stand.replica(
    { inference, limits: { requestsPerMinute: 100_000, requestTimeoutSeconds: REQUEST_SECONDS } },
    HEAP,
  );
  model = stand.registry.publish("well:latest", tinyLlama({ seed: stand.nextSeed() }));
  await api.ended(await api.pull(model));
}

async function residentBytes(): Promise<number> {
  const metrics = await (await fetch(api.metricsUrl)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
}

interface Meanwhile {
  /** What another caller's answers took, in seconds. */
  readonly waits: readonly number[];
  /** The most that the process had, in bytes. */
  readonly peak: number;
}

/** Has another caller asking all the time until the work is done. */
async function meanwhile(work: Promise<unknown>): Promise<Meanwhile> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  // Thrown below; until then nobody listens.
  over.catch(() => undefined);
  const waits: number[] = [];
  let peak = 0;
  while (!isOver) {
    const began = Date.now();
    const id = await infer(api, { model, prompt: "hello", options: { max_tokens: 3 } });
    expect(await ended(api, id)).toMatchObject({ state: "completed" });
    waits.push((Date.now() - began) / 1000);
    peak = Math.max(peak, await residentBytes());
  }
  await over;
  return { waits, peak };
}

interface Raw {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly text: string;
  /** Bytes that were taken of the body. */
  readonly sent: number;
  readonly seconds: number;
}

/** Sends a body in pieces, as long as they are taken and as fast. @param framing the header that says how long it is. */
function send(framing: string, pieces: () => Iterable<Buffer> | AsyncIterable<Buffer>, token = INFER): Promise<Raw> {
  const { hostname, port } = new URL(api.url);
  const began = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    let sent = 0;
    socket.on("data", (data) => {
      text += data;
    });
    // The API may close before all is written.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, text, sent, seconds: (performance.now() - began) / 1000 });
    });
    const head = [
      "POST /inference HTTP/1.1",
      "Host: api",
      "Connection: close",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      framing,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    void (async () => {
      for await (const piece of pieces()) {
        if (socket.destroyed) {
          return;
        }
        await new Promise<void>((taken) => socket.write(piece, () => taken()));
        sent += piece.length;
      }
    })();
  });
}

const TOO_LARGE = { status: 413, text: expect.stringContaining('"code":"body_too_large"') };
const PIECE = Buffer.alloc(MEBIBYTE, "a");
function* gigabyte(): Iterable<Buffer> {
  yield Buffer.from('{"model":"x","prompt":"');
  for (let i = 0; i < GIGABYTE / MEBIBYTE; i++) {
    yield PIECE;
  }
}
function* chunked(pieces: Iterable<Buffer>): Iterable<Buffer> {
  for (const piece of pieces) {
    yield Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
  }
}

describe("a prompt of a gigabyte", () => {
  it.each([
    ["as large as it is by default", 1],
    ["as large as it may be", 64],
  ])("is refused, and takes no memory, where a request may be %s", async (_, mebibytes) => {
    await start({ promptBytes: mebibytes * MEBIBYTE });
    const before = await residentBytes();
    const told = () => send(`Content-Length: ${GIGABYTE}`, gigabyte);
    const untold = () => send("Transfer-Encoding: chunked", () => chunked(gigabyte()));
    const answers: Raw[] = [];
    const { waits, peak } = await meanwhile(
      (async () => {
        // As clients do that ask before they send, or stop when they are answered.
        expect(await send(`Content-Length: ${GIGABYTE}`, () => [])).toMatchObject(TOO_LARGE);
        answers.push(...(await Promise.all([told(), told(), untold()])));
        answers.push(await untold());
      })(),
    );
    for (const { status, sent } of answers) {
      // A connection that is closed under what still comes may take the answer with it.
      expect([0, TOO_LARGE.status]).toContain(status);
      // What its size tells is not read, and what does not tell it no farther than the limit, and the buffers between.
      expect(sent).toBeLessThan((mebibytes + 64) * MEBIBYTE);
    }
    // What may be read of two requests, in its chunks and as their text.
    expect(peak - before).toBeLessThan(50 * MEBIBYTE + 4 * mebibytes * MEBIBYTE);
    expect(Math.max(...waits)).toBeLessThan(PATIENCE);
  });
});

describe("a batch of very many things", () => {
  const MILLION = 1_000_000;
  const list = (item: string, count: number) => `[${Array(count).fill(item).join(",")}]`;
  const fits = (item: string, bytes: number) => Math.min(MILLION, Math.floor((bytes - 100) / (item.length + 1)));
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":0`).join(",");
  /** A request's fields, by where the list stands in them. */
  const THINGS: Readonly<Record<string, (many: string) => string>> = {
    prompt: (many) => `"prompt":${many}`,
    messages: (many) => `"messages":${many}`,
    nested: (many) => `"messages":[${many}]`,
    stop: (many) => `"prompt":"a","options":{"stop":${many}}`,
  };
  it.each([
    ["prompts", "prompt", '"a"'],
    ["empty prompts", "prompt", '""'],
    ["numbers", "prompt", "0"],
    ["lists", "prompt", "[]"],
    ["empty messages", "messages", "{}"],
    ["conversations", "messages", '[{"role":"user","content":"a"}]'],
    ["empty conversations", "messages", "[]"],
    ["numbers for messages", "messages", "0"],
    ["bad messages in a batch", "nested", "0"],
    ["texts that end an answer", "stop", "0"],
    ["fields that nobody knows", "", ""],
  ])("is refused with a short reason, and nobody waits for it: %s", async (_, field, item) => {
    for (const limit of [MEBIBYTE, 64 * MEBIBYTE]) {
      await start({ promptBytes: limit });
      const many = list(item, fits(item, limit));
      const things = THINGS[field]?.(many) ?? fields(fits('"1000000":0', limit));
      const body = Buffer.from(`{"model":"x",${things}}`);
      const results: Raw[] = [];
      const { waits } = await meanwhile(
        (async () => {
          for (let i = 0; i < 3; i++) {
            results.push(await send(`Content-Length: ${body.length}`, () => [body]));
          }
        })(),
      );
      for (const { status, text } of results) {
        expect([400, 422]).toContain(status);
        expect(text.length).toBeLessThan(5_000);
      }
      // To read tens of megabytes takes its time, where the configuration lets them in.
      expect(Math.max(...waits)).toBeLessThan(limit > MEBIBYTE ? 5 * PATIENCE : PATIENCE);
      await stand.stopReplicas();
    }
  });
});

describe("bodies that never come", () => {
  it("are given up in time, however many there are, and nobody waits for them", async () => {
    await start();
    async function* slowly(): AsyncIterable<Buffer> {
      for (;;) {
        yield Buffer.from(" ");
        await sleep(200);
      }
    }
    const results: Raw[] = [];
    const { waits } = await meanwhile(
      Promise.all(
        Array.from({ length: 300 }, async () => {
          results.push(await send("Content-Length: 100000", slowly));
        }),
      ),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([408]));
    expect(Math.max(...results.map(({ seconds }) => seconds))).toBeLessThan(REQUEST_SECONDS + 5);
    expect(Math.max(...waits)).toBeLessThan(PATIENCE);
  });
});
