import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { warmModels } from "../../../components/model-control/scripts/warm-models.ts";

const PATIENCE = { pauseMs: 5, outageMs: 200 };

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Answers each request as a test says, and keeps what it was asked. */
class FakeApi {
  readonly requests: { readonly line: string; readonly token: string | undefined; readonly body: string }[] = [];
  private readonly server: Server;

  constructor(answer: (line: string, body: string) => Answer) {
    this.server = createServer(async (request, response) => {
      const body = await text(request);
      const line = `${request.method} ${request.url}`;
      this.requests.push({ line, token: request.headers.authorization, body });
      const { status, body: content } = answer(line, body);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

describe("warmModels", () => {
  let folder: string;
  let tokenFile: string;
  let api: FakeApi | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "warm-models-"));
    tokenFile = join(folder, "token");
    await writeFile(tokenFile, "the-token\n");
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(console, "error").mockImplementation(() => {});
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await api?.close();
    await rm(folder, { recursive: true });
  });

  async function run(models: readonly string[], answer: (line: string, body: string) => Answer): Promise<FakeApi> {
    api = new FakeApi(answer);
    const url = await api.listen();
    await warmModels({ url, tokenFile, models }, PATIENCE);
    return api;
  }

  /** Every model's task is named after it, and done when it is asked about for the third time. */
  function threeSteps(): (line: string, body: string) => Answer {
    const asked = new Map<string, number>();
    return (line, body) => {
      if (line === "POST /models/pull") {
        return { status: 202, body: { task_id: JSON.parse(body).model } };
      }
      const count = (asked.get(line) ?? 0) + 1;
      asked.set(line, count);
      return { status: 200, body: { state: count < 3 ? "running" : "completed", progress: count < 3 ? 40 : 100 } };
    };
  }

  it("asks for each model on disk with its token, and waits until all are there", async () => {
    const { requests } = await run(["a", "b"], threeSteps());
    const pulls = requests.filter(({ line }) => line === "POST /models/pull").map(({ body }) => JSON.parse(body));
    expect(pulls).toEqual([
      { model: "a", load: false },
      { model: "b", load: false },
    ]);
    expect(requests.filter(({ line }) => line === "GET /tasks/b/status")).toHaveLength(3);
    expect(new Set(requests.map(({ token }) => token))).toEqual(new Set(["Bearer the-token"]));
  });

  it("fails with every model that cannot be had, after the others are there", async () => {
    const steps = threeSteps();
    const failure = run(["a", "b", "c"], (line, body) => {
      if (line.includes("/tasks/b/")) {
        return { status: 200, body: { state: "failed", progress: 3, error: "no room" } };
      }
      if (line.startsWith("POST") && JSON.parse(body).model === "c") {
        return { status: 422, body: { detail: "not allowed" } };
      }
      return steps(line, body);
    });
    await expect(failure).rejects.toThrow(
      '2 of 3 models: b: no room; c: POST /models/pull: answered 422: {"detail":"not allowed"}',
    );
    expect(api?.requests.filter(({ line }) => line === "GET /tasks/a/status")).toHaveLength(3);
  });

  it("goes on after an outage of the API, and gives up when it lasts", async () => {
    const steps = threeSteps();
    let outage = 3;
    await run(["a"], (line, body) => (outage-- > 0 ? { status: 503, body: {} } : steps(line, body)));
    await api?.close();
    await expect(run(["a"], () => ({ status: 503, body: { detail: "queue" } }))).rejects.toThrow(
      'POST /models/pull: answered 503: {"detail":"queue"}',
    );
  });
});
