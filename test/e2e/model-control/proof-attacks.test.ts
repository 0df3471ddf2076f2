/** What an attacker would send to the API's own process; whatever it answers, Ollama and other hosts hear nothing of it. */
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlStand } from "./control-stand";
import { type Api, OPERATE, READ } from "./start-api";

/** Shorter than the default, in seconds: a request that never ends is to be cut off. */
const REQUEST_TIMEOUT = 2;
/** The limit is 64 KiB. */
const LARGER_THAN_ALLOWED = 64 * 1024 + 1;

let stand: ControlStand;
let api: Api;
/** Stands for whatever answers inside a network: a metadata service, a database. */
let inside: Server;
let insideHost = "";
const reached: string[] = [];

beforeAll(async () => {
  stand = await ControlStand.start();
  inside = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  inside.on("connection", () => reached.push("connection"));
  await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
  const address = inside.address();
  insideHost = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  api = await stand.replica({
    limits: { requestTimeoutSeconds: REQUEST_TIMEOUT, anonymousRequestsPerMinute: 200, requestsPerMinute: 10_000 },
  });
});
afterAll(async () => {
  inside?.close();
  await stand?.stop();
});

interface Raw {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly text: string;
  readonly seconds: number;
}

/** Sends bytes as they are, and reads until the API closes the connection. */
function raw(...parts: readonly string[]): Promise<Raw> {
  const { hostname, port } = new URL(api.url);
  const began = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    // The API may close before all is written.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, text, seconds: (performance.now() - began) / 1000 });
    });
    for (const part of parts) {
      socket.write(part);
    }
  });
}

function head(line: string, ...headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, "Host: api", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;
}

/** The calls that change something. */
const CHANGES: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["POST", "/models/pull", { model: "llama3.2" }],
  ["POST", "/models/load", { model: "llama3.2" }],
  ["DELETE", "/models/llama3.2?purge=true"],
  ["DELETE", "/tasks/pull-00000000-0000-4000-8000-000000000000"],
  ["POST", "/workers/stop"],
  ["POST", "/workers/start"],
];
const READS = ["/models", "/models/llama3.2/status", "/tasks", "/workers"];

describe("the API refuses", () => {
  it("bodies that are too large, whether they say so or not, and those of strangers unread", async () => {
    const type = "Content-Type: application/json";
    const authorization = `Authorization: Bearer ${OPERATE}`;
    const length = `Content-Length: ${4 * 1024 * 1024}`;
    const told = await raw(head("POST /models/pull", authorization, type, length));
    expect(told.status).toBe(413);
    expect(told.text).toContain('"code":"body_too_large"');
    const chunk = `${LARGER_THAN_ALLOWED.toString(16)}\r\n${" ".repeat(LARGER_THAN_ALLOWED)}\r\n`;
    const untold = await raw(head("POST /models/pull", authorization, type, "Transfer-Encoding: chunked"), chunk);
    expect(untold.status).toBe(413);
    const stranger = await raw(head("POST /models/pull", type, length));
    expect(stranger.status).toBe(401);
    // None of them waited for a body that never came.
    for (const { seconds } of [told, untold, stranger]) {
      expect(seconds).toBeLessThan(REQUEST_TIMEOUT);
    }
  });

  it("requests that never end", async () => {
    const { status, seconds } = await raw(
      head(
        "POST /models/pull",
        `Authorization: Bearer ${OPERATE}`,
        "Content-Type: application/json",
        "Content-Length: 20",
      ),
      '{"model":',
    );
    expect(status).toBe(408);
    expect(seconds).toBeGreaterThan(REQUEST_TIMEOUT * 0.9);
    expect(seconds).toBeLessThan(REQUEST_TIMEOUT + 10);
  });

  it("whoever has no token, a wrong one, or the right one in the wrong place", async () => {
    const wrong = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${OPERATE}x`,
      `Bearer ${OPERATE.slice(0, -1)}`,
      `Bearer ${OPERATE} ${OPERATE}`,
      `Basic ${Buffer.from(`operator:${OPERATE}`).toString("base64")}`,
      OPERATE,
    ];
    for (const authorization of wrong) {
      const headers = authorization === undefined ? undefined : { authorization };
      const answer = await fetch(`${api.url}/models`, { headers });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm=/);
      expect(await answer.json()).toMatchObject({ status: 401, title: "Unauthorized" });
    }
    for (const query of [`token=${OPERATE}`, `access_token=${OPERATE}`]) {
      expect((await fetch(`${api.url}/models?${query}`)).status).toBe(401);
    }
    for (const path of READS) {
      expect((await api.ask("GET", path, undefined, "wrong")).status).toBe(401);
    }
    for (const [method, path, body] of CHANGES) {
      expect((await api.ask(method, path, body, "wrong")).status).toBe(401);
    }
  });

  it("changes by a token that only reads", async () => {
    expect((await api.ask("GET", "/models", undefined, READ)).status).toBe(200);
    for (const [method, path, body] of CHANGES) {
      const answer = await api.ask(method, path, body, READ);
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
    }
  });

  it("names that lead to other hosts or files, in bodies as in paths", async () => {
    const names = [
      `${insideHost}/library/x:latest`,
      `${insideHost}/x`,
      `http://${insideHost}/library/x`,
      `registry.ollama.ai@${insideHost}/library/x`,
      `${insideHost}#/library/x`,
      `${stand.registry.host}@${insideHost}/library/x`,
      `localhost:${insideHost.split(":")[1]}/library/x`,
      `2130706433:${insideHost.split(":")[1]}/library/x`,
      `[::1]:${insideHost.split(":")[1]}/library/x`,
      "169.254.169.254/latest/meta-data",
      "hf.co/user/repo:Q4",
      "registry.ollama.ai.evil.example/library/x",
      "../../etc/passwd",
      "library/../../../etc/passwd",
      "..",
      "x:../../y",
      "x:latest/../../y",
      "/etc/passwd",
      "x\u0000y",
      "x\nHost: evil",
      "x y",
      "x?insecure=true",
      "ｘ",
      "x".repeat(601),
      "",
    ];
    const refused = [400, 422];
    for (const model of names) {
      for (const path of ["/models/pull", "/models/load"]) {
        const { status, body } = await api.ask("POST", path, { model });
        expect([model, refused.includes(status), typeof body.detail]).toEqual([model, true, "string"]);
      }
      const encoded = encodeURIComponent(model);
      const answers = [
        await raw(head(`GET /models/${encoded}/status`, `Authorization: Bearer ${OPERATE}`)),
        await raw(head(`DELETE /models/${encoded}?purge=true`, `Authorization: Bearer ${OPERATE}`)),
      ];
      for (const { status } of answers) {
        expect([model, status >= 400 && status < 500]).toEqual([model, true]);
      }
    }
  });

  it("bodies that are not what the description says", async () => {
    const bodies = [
      '{"model":"llama3.2","insecure":true}',
      '{"model":"llama3.2","__proto__":{"load":false}}',
      '{"model":"llama3.2","constructor":{"prototype":{"load":false}}}',
      '{"model":["llama3.2"]}',
      '{"model":{"toString":"llama3.2"}}',
      '{"model":"llama3.2","worker":"../w1"}',
      '["llama3.2"]',
      "null",
      "{",
      `${"[".repeat(30_000)}${"]".repeat(30_000)}`,
    ];
    const headers = { authorization: `Bearer ${OPERATE}`, "content-type": "application/json" };
    for (const body of bodies) {
      const { status } = await fetch(`${api.url}/models/pull`, { method: "POST", headers, body });
      expect([body.slice(0, 80), [400, 404, 422].includes(status)]).toEqual([body.slice(0, 80), true]);
    }
  });

  it("guesses of tokens after a while, and nobody who has one", async () => {
    const answers: Response[] = [];
    while (answers.length < 250 && answers.at(-1)?.status !== 429) {
      answers.push(await fetch(`${api.url}/models`, { headers: { authorization: `Bearer guess-${answers.length}` } }));
    }
    expect(answers.at(-1)?.status).toBe(429);
    expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await api.ask("GET", "/models")).status).toBe(200);
    expect((await api.ask("GET", "/livez")).status).toBe(200);
  });
});

/** After all of the above. */
describe("and for all that", () => {
  it("nothing was asked of another host, of Ollama, or of the registry", () => {
    expect(reached).toEqual([]);
    expect(stand.ollama.process.output()).not.toMatch(/"\/api\/(pull|delete|generate|create|copy)"/);
    expect(stand.registry.requests).toEqual([]);
  });

  it("it runs on, has no task, and has logged neither tokens nor unexpected errors", async () => {
    expect((await api.ask("GET", "/tasks")).body).toEqual({ tasks: [] });
    expect((await api.ask("GET", "/health")).status).toBe(200);
    const log = api.process.output();
    expect(log).not.toContain("request failed unexpectedly");
    for (const secret of [OPERATE, READ]) {
      expect(log).not.toContain(secret);
    }
  });
});
