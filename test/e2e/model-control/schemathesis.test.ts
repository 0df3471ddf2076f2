/** Schemathesis makes up requests from the API's own description, and looks for answers that it does not describe. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requirePart } from "../../../rehearsal/parts/find";
import { type Ollama, type Redis, startOllama, startRedis } from "./registry";
import { Api, ApiBundle, OPERATE } from "./start-api";

/**
 * Every check but these. Any rest of a path may be a model's name: `DELETE /models/a/status` is about the model "a/status".
 * Asking for an answer may be refused with 422 though the request keeps to the description: made-up requests share made-up
 * Idempotency-Keys, and the second one that has a key is another request. And `DELETE /tasks/{id}` cancels: the task is there
 * afterwards, and says so. On the command line none is named: those that are count for every operation, whatever is said here.
 */
const SETTINGS = `[checks]
unsupported_method.enabled = false
allow_header_conformance.enabled = false

[[operations]]
include-path = "/inference"
[operations.checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "422", "429", "5xx"]

[[operations]]
include-path = "/tasks/{id}/status"
[operations.checks]
use_after_free.enabled = false
`;

describe("the API's description", () => {
  let bundle: ApiBundle;
  let redis: Redis;
  let ollama: Ollama;
  let api: Api;

  beforeAll(async () => {
    bundle = ApiBundle.build();
    [redis, ollama] = await Promise.all([startRedis(), startOllama()]);
    api = await Api.start(bundle, {
      redis: { url: redis.url },
      // No made-up name may make an engine ask a registry: none is allowed.
      registries: { allowed: ["127.0.0.1:1"], insecure: ["127.0.0.1:1"] },
      workers: [{ name: "w1", backend: "ollama", url: ollama.url, memoryBytes: 4e9 }],
      pulls: { attempts: 1 },
      inference: { wait: { polls: 1, seconds: 1 } },
      limits: { requestsPerMinute: 1_000_000, anonymousRequestsPerMinute: 1_000_000 },
    });
    await api.process.waitForOutput(/the task queue is connected/, 10);
  });
  afterAll(async () => {
    await api?.process.stop();
    await Promise.all([redis?.stop(), ollama?.stop()]);
    bundle?.remove();
  });

  it("is true for made-up requests, valid and invalid ones, and for sequences of them", async () => {
    const output = await schemathesis("--max-examples=40", "--seed=1", "--continue-on-failure");
    expect(output).toMatch(/\d{3,} generated/);
    expect(output).toContain("Tested: 17");
    expect(output).not.toMatch(/❌|failures/);
    expect((await api.ask("GET", "/livez")).status).toBe(200);
    expect(api.process.output()).not.toContain("request failed unexpectedly");
  }, 400_000);

  /** @returns what it prints, whether it finds something or not. */
  async function schemathesis(...args: string[]): Promise<string> {
    const header = `Authorization: Bearer ${OPERATE}`;
    const settings = join(api.process.folder, "schemathesis.toml");
    writeFileSync(settings, SETTINGS);
    const what = ["--config-file", settings, "run", `${api.url}/openapi.json`];
    const command = [...what, "--header", header, "--no-color", ...args];
    const options = { cwd: api.process.folder, maxBuffer: 64_000_000 };
    const run = promisify(execFile)(requirePart("schemathesis"), command, options);
    return (await run.catch((error: { readonly stdout: string }) => error)).stdout;
  }
});
