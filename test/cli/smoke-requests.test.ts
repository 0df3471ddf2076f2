import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { stoppedTimers } from "./smoke-clock";
import { failures, operatorToken, smoke, steps } from "./smoke-run";
import {
  ANSWER,
  CUT_ANSWER,
  closeServers,
  controlApi,
  EMPTY_ANSWER,
  ollama,
  openAi,
  type Reply,
  SHORT_ANSWER,
  STREAMED_ANSWER,
} from "./smoke-servers";

const tokenFile = operatorToken();
afterAll(closeServers);
afterEach(() => void vi.useRealTimers());

describe("3 latency", () => {
  it.each<[string, Reply, string]>([
    ["an error status", { status: 503, body: { error: { message: "overloaded" } } }, "status 503: overloaded"],
    ["an unknown name", { status: 404, body: { error: { message: "no such model" } } }, "--served-model"],
    ["no token", EMPTY_ANSWER, "no token"],
    ["an answer that is no stream", { body: { choices: [] } }, "no token: "],
    ["an answer that ends early", SHORT_ANSWER, "cut off after 1 tokens"],
    ["a cut connection", CUT_ANSWER, "was cut off"],
    ["an error in the stream", { body: 'data: {"error":{"message":"out of memory"}}\n\n' }, "out of memory"],
  ])("fails for %s, and skips the concurrent requests", async (_, reply, words) => failsFor(() => reply, words));

  it("fails for silence, and skips the concurrent requests", async () => {
    const timeIsOver = stoppedTimers();
    const silence = () => {
      timeIsOver();
      return { hang: true };
    };
    await failsFor(silence, "no answer within 300 s");
  });

  async function failsFor(answer: () => Reply, words: string) {
    const server = await openAi({ "POST /v1/chat/completions": answer });
    const result = await steps("--url", server.url);
    expect(result.status).toBe(1);
    expect(failures(result)).toEqual({ latency: expect.stringContaining(words) });
    expect(result.steps[3]).toMatchObject({ status: "skipped", detail: "latency did not pass" });
  }
});

describe("the speed of an answer", () => {
  async function figures(answer: Reply): Promise<Record<string, number>> {
    const server = await openAi({ "POST /v1/chat/completions": () => answer });
    return (await steps("--url", server.url)).steps[2]?.figures as Record<string, number>;
  }

  it("counts from the first token on, where tokens come one by one", async () => {
    const { firstTokenMs = 0, totalMs = 0, tokens, tokensPerSecond, streamed } = await figures(STREAMED_ANSWER);
    expect([tokens, streamed]).toEqual([4, true]);
    expect(totalMs - firstTokenMs).toBeGreaterThan(50);
    expect((Number(tokensPerSecond) * (totalMs - firstTokenMs)) / 3000).toBeCloseTo(1, 1);
  });

  it("counts the whole time, and says so, where the answer is kept on the way until it is whole", async () => {
    const { totalMs = 0, tokensPerSecond, streamed } = await figures(ANSWER);
    expect(streamed).toBe(false);
    // Both are rounded to a tenth: much of an answer below a millisecond, and of a speed of few tokens per second.
    const speed = Number(tokensPerSecond);
    expect(Math.abs(4000 / speed - totalMs)).toBeLessThanOrEqual(0.051 + (totalMs * 0.051) / speed);
    const { out } = await smoke("--url", (await openAi()).url);
    expect(out).toContain("came in one piece");
  });
});

describe("4 concurrency", () => {
  it("fails when one of five requests does not answer, and says how many did", async () => {
    let requests = 0;
    const server = await openAi({
      "POST /v1/chat/completions": () => {
        requests += 1;
        return requests === 3 ? { status: 503, body: { error: "server busy" } } : ANSWER;
      },
    });
    const result = await steps("--url", server.url);
    expect(result.status).toBe(1);
    expect(failures(result)).toEqual({
      concurrency: expect.stringMatching(
        /all 5 requests at once answer \| 4 did \(.*failed.*\); status 503: server busy/,
      ),
    });
  });
});

describe("5 asynchronous inference", () => {
  const item = { index: 0, state: "completed", text: "one two", finish_reason: "stop", attempts: 1 };
  const completed = { task_id: "inference-1", state: "completed", progress: 100, items: [item] };

  async function asked(...answers: readonly object[]) {
    return askedOf((look) => ({ body: answers[Math.min(look, answers.length - 1)] }));
  }

  /** @param reply to each look at the answer, from 0. */
  async function askedOf(reply: (look: number) => Reply) {
    let looks = 0;
    const control = await controlApi({
      "POST /inference": () => ({ status: 202, body: { task_id: "inference-1" } }),
      "GET /inference/*": () => reply(looks++),
      "DELETE /inference/*": () => ({ status: 204 }),
    });
    const argv = ["--url", (await ollama()).url, "--control-url", control.url, "--token-file", tokenFile];
    const result = await steps(...argv, "--max-tokens", "7", "--prompt", "Hello");
    const calls = control.requests.filter(({ path }) => path.startsWith("/inference"));
    return { result, step: result.steps[4], calls };
  }

  it("hands a prompt in, waits for its answer, and has both deleted", async () => {
    const queued = {
      ...completed,
      state: "queued",
      progress: 0,
      step: "loading",
      items: [{ ...item, text: undefined }],
    };
    const answered = { ...item, completion_tokens: 2, waited_seconds: 0.25 };
    const { step, calls } = await asked(queued, { ...completed, items: [answered] });
    expect(step).toMatchObject({ status: "passed", figures: { tokens: 2, waitedSeconds: 0.25, finishReason: "stop" } });
    expect(step?.detail).toMatch(/^answered after .* · 2 tokens · waited 250 ms for the engine$/);
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /inference",
      "GET /inference/inference-1",
      "GET /inference/inference-1",
      "DELETE /inference/inference-1",
    ]);
    const messages = [{ role: "user", content: "Hello" }];
    expect(calls[0]?.body).toEqual({ model: "chat:latest", messages, options: { max_tokens: 7 } });
  });

  it("fails with the reason of the prompt, and deletes it all the same", async () => {
    const error = { code: "engine_failed", detail: "no engine answered" };
    const { result, calls } = await asked({
      ...completed,
      state: "failed",
      error: "no engine answered",
      items: [{ ...item, state: "failed", text: undefined, finish_reason: "error", error }],
    });
    expect(failures(result)).toEqual({
      "asynchronous inference": expect.stringContaining("failed: no engine answered | GET /inference/inference-1"),
    });
    expect(calls.at(-1)?.method).toBe("DELETE");
  });

  it("fails with what it waited for when its time is over", async () => {
    const timeIsOver = stoppedTimers();
    const { result, calls } = await askedOf((look) => {
      if (look > 0) {
        timeIsOver();
      }
      return { body: { ...completed, state: "queued", step: "pulling 3 %", items: [{ index: 0 }] } };
    });
    expect(failures(result)["asynchronous inference"]).toContain("queued: pulling 3 % | what it waits for");
    expect(calls.at(-1)?.method).toBe("DELETE");
  });

  it("does not count an empty answer, and does not apply to an engine that answers no chats", async () => {
    const empty = await asked({ ...completed, items: [{ ...item, text: undefined }] });
    expect(failures(empty.result)["asynchronous inference"]).toContain("one without text");
    const error = { code: "not_supported", detail: "no chats" };
    const other = await asked({ ...completed, state: "failed", items: [{ ...item, text: undefined, error }] });
    expect(other.step).toMatchObject({
      status: "not applicable",
      detail: "the engine of chat:latest answers no chats",
    });
  });
});
