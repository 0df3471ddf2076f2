/** `npm run measure` before servers that refuse, lie, break off or say nothing: it ends, says what to look at, and writes no file. */
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { deadline } from "../../../cli/deadline";
import { main } from "../../../cli/measure";
import { collectGarbage } from "../../harness/collect-garbage";
import { useFolder } from "../run";

type Answer = (response: ServerResponse, asked: { readonly max: number; readonly words: number }) => void;

const folder = useFolder();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) {
    close();
  }
});

/** A server of one model that answers chats as it likes. */
async function serverThat(answer: Answer, models: Answer = (response) => json(response, { data: [{ id: "m" }] })) {
  const server = createServer((request, response) => void reply(request, response));
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) {
      body += String(chunk);
    }
    const asked = body === "" ? {} : (JSON.parse(body) as { max_tokens?: number; messages?: { content: string }[] });
    const words = asked.messages?.[0]?.content.split(" ").length ?? 0;
    if (request.url === "/v1/models") {
      models(response, { max: 0, words });
    } else if (request.url?.startsWith("/v1/chat")) {
      answer(response, { max: asked.max_tokens ?? 1, words });
    } else {
      json(response, { detail: "Not Found" }, 404);
    }
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, value: unknown, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const token = (content: string) => event({ choices: [{ delta: { content } }] });

function streamed(response: ServerResponse, text: string, ends = true) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text);
  if (ends) {
    response.end();
  }
}

const done = (prompted: number, counted: number) =>
  `${event({ choices: [{ delta: {}, finish_reason: "length" }] })}${event({ choices: [], usage: { prompt_tokens: prompted, completion_tokens: counted } })}data: [DONE]\n\n`;

async function measured(url: string, ...more: string[]) {
  const { io, text } = terminal();
  const file = join(folder, "measured.json");
  const what = ["--card", "l40s", "--engine", "vllm", "--engine-version", "0.33.0", "--weights", "org/name"];
  const status = await main(["--url", url, ...what, "--out", file, ...more], io, {});
  return { status, text: text(), isWritten: existsSync(file) };
}

/** What a command writes, all of it together. */
function terminal() {
  const parts: string[] = [];
  const write = (part: string) => {
    parts.push(part);
  };
  return { io: { out: write, err: write, color: false }, text: () => parts.join("") };
}

describe("a measurement of a server", () => {
  it.each<[string, Answer, string]>([
    ["fails", (r) => json(r, { error: { message: "CUDA out of memory" } }, 500), "status 500: CUDA out of memory"],
    ["limits", (r) => json(r, { error: { message: "slow down" } }, 429), "look at: the rate limit"],
    ["serves another model", (r) => json(r, { error: { message: "no such model" } }, 404), "look at: --model"],
    ["answers a page", (r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>login</html>"), "no token"],
    ["breaks off", (r) => streamed(r, token("a") + token("b")), "cut off after 2 pieces"],
    ["reports an error", (r) => streamed(r, token("a") + event({ error: { message: "it died" } })), "it died"],
    ["writes no JSON", (r) => streamed(r, "data: {not\n\n"), "the answer is broken"],
    [
      "never stops",
      (r) => streamed(r, Array.from({ length: 500 }, () => token("a")).join(""), false),
      "does not stop where it was asked to",
    ],
    [
      "counts what cannot be",
      (r, { max }) => streamed(r, Array.from({ length: max }, () => token("a")).join("") + done(20, 1e12)),
      "counts 1000000000000 tokens in the answer",
    ],
    [
      "counts fewer than nothing",
      (r, { max }) => streamed(r, Array.from({ length: max }, () => token("a")).join("") + done(-5, max)),
      "counts -5 tokens in the prompt",
    ],
    [
      "sends the whole answer as one event",
      (r, { max, words }) => streamed(r, token("all of it at once") + done(words, max)),
      "the answer comes in one piece",
    ],
  ])("that %s says what to look at and writes nothing", async (_, answer, words) => {
    const { status, text, isWritten } = await measured(await serverThat(answer));
    expect(text).toContain(words);
    expect(text).toMatch(/\n {2}look at: \S/);
    expect([status, isWritten]).toEqual([1, false]);
  });

  it("names its own options where a key is refused, not those of another command", async () => {
    const url = await serverThat(
      (r) => json(r, {}),
      (r) => json(r, { error: { message: "invalid key" } }, 401),
    );
    const { status, text } = await measured(url);
    expect([status, text]).toEqual([1, expect.stringContaining("look at: --api-key-env")]);
    expect(text).not.toContain("--api-key-file");
  });

  it("is bad input where nobody says what is measured, before anything is asked of the engine", async () => {
    let asked = 0;
    const url = await serverThat((r) => {
      asked += 1;
      json(r, {}, 500);
    });
    const { io, text } = terminal();
    expect(await main(["--url", url, "--engine", "vllm"], io, {})).toBe(2);
    expect([text(), asked]).toEqual([expect.stringContaining("--card, --engine-version, --weights missing"), 0]);
  });

  it("is written by the name that plans give a card, and says where they know none", async () => {
    const good: Answer = (r, { max, words }) => {
      r.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        r.write(sent <= max ? token("a") : done(words, max));
        if (sent > max) {
          clearInterval(timer);
          r.end();
        }
      }, 1);
    };
    const url = await serverThat(good);
    const short = ["--minutes", "1", "--concurrency", "2", "--traffic", "in=40,out=8"];
    const known = await measured(url, ...short);
    expect([known.status, known.isWritten]).toEqual([0, true]);
    expect(known.text).toContain("NVIDIA L40S");
    const unknown = await measured(url, ...short, "--card", "l40ss");
    expect(unknown.text).toContain('"l40ss" is no card of the catalogue (did you mean "L40S"?)');
  }, 60_000);
});

describe("the time within which a server must answer", () => {
  it("ends although only AbortSignal.any holds it: Node 20 collects AbortSignal.timeout then", async () => {
    const url = await serverThat(() => undefined);
    const { HttpClient } = await import("../../../cli/smoke/http");
    const waiting = () => {
      const either = AbortSignal.any([new AbortController().signal, deadline(0.6).signal]);
      return new HttpClient(url).request("POST", "/v1/chat/completions", either, {}).catch(String);
    };
    const answer = waiting();
    const collecting = [150, 400].map((after) => setTimeout(collectGarbage, after));
    const late = new Promise((resolve) => setTimeout(() => resolve("it waits still"), 6000));
    const ended = await Promise.race([answer, late]);
    collecting.forEach(clearTimeout);
    expect(ended).toContain("no answer within 0.6 s");
  }, 15_000);
});
