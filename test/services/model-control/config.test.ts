import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "../../../services/model-control/src/config";
import { ConfigError } from "../../../services/model-control/src/config-file";

const folder = mkdtempSync(join(tmpdir(), "model-control-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const path = join(folder, "config.yaml");
  writeFileSync(path, text);
  return readConfig(path);
}

const SMALL = `
redis: { url: "redis://valkey:6379", passwordFile: /run/password }
tokensFile: /run/tokens.json
workers:
  - { name: w1, backend: ollama, url: "http://ollama:11434", memoryBytes: 1000, pins: [llama3.2] }
`;

const HF = "\nregistries: { allowed: [registry.ollama.ai, hf.co] }";

describe("configuration", () => {
  it.each([
    [1023, false],
    [1024, true],
    [1024 * 1024, true],
    [1024 * 1024 + 1, false],
  ])("takes bodies of at most %d bytes: %s", (bodyBytes, isTaken) => {
    const limited = () => read(`${SMALL}limits: { bodyBytes: ${bodyBytes} }\n`).limits.bodyBytes;
    if (isTaken) {
      expect(limited()).toBe(bodyBytes);
    } else {
      expect(limited).toThrow(/limits\.bodyBytes/);
    }
  });

  it("fills in what is not said", () => {
    expect(read(SMALL)).toEqual({
      listen: { host: "127.0.0.1", port: 1994, metricsPort: 9464, proxies: 0 },
      redis: { url: "redis://valkey:6379", passwordFile: "/run/password" },
      tokensFile: "/run/tokens.json",
      registries: { allowed: ["registry.ollama.ai"], insecure: [] },
      workers: [
        {
          name: "w1",
          backend: "ollama",
          url: "http://ollama:11434",
          memoryBytes: 1000,
          models: [],
          // In the spelling that everything else uses.
          pins: ["llama3.2:latest"],
        },
      ],
      idle: { seconds: "never", models: {} },
      pulls: {
        concurrency: 3,
        queuedPerCaller: 50,
        queued: 500,
        attempts: 5,
        backoffSeconds: 5,
        turnSeconds: 600,
        timeoutSeconds: 7200,
      },
      limits: {
        bodyBytes: 65_536,
        requestTimeoutSeconds: 15,
        requestsPerMinute: 600,
        anonymousRequestsPerMinute: 120,
      },
    });
  });

  it("has one spelling of a model's idle time, and says which times there are", () => {
    const idle = (text: string) => `${SMALL}idle: ${text}`;
    expect(read(idle("{ seconds: 900, models: { llama3.2: never, hf.co/a/b:Q4: 60 } }").concat(HF)).idle).toEqual({
      seconds: 900,
      models: { "llama3.2:latest": "never", "hf.co/a/b:Q4": 60 },
    });
    const message = messageOf(idle('{ seconds: 0, models: { "a b": 5, "c:1": soon, other.example/a/b: 5 } }'));
    expect(message).toContain('idle.seconds is 0; allowed: seconds, at most 604800, or "never"');
    expect(message).toContain('idle.models.c:1 is "soon"; allowed: seconds, at most 604800, or "never"');
    const names = messageOf(idle('{ models: { "a b": 5, other.example/a/b: 5 } }'));
    expect(names).toContain("idle.models.a b is 5; allowed: a model's name: ");
    expect(names).toContain("idle.models.other.example/a/b is 5; allowed: a model's name: ");
  });

  it("lists all problems at once, and shows no password", () => {
    const message = messageOf(`
redis: { url: "redis://user:s3cret@valkey:6379" }
registries: { insecure: [registry.example] }
workers:
  - { name: w1, backend: ollama, url: "ftp://ollama", memoryBytes: -1, models: [x], pins: ["a b"] }
  - { name: w1, backend: vllm, url: "http://vllm:8000", memoryBytes: 1 }
  - { name: W3, backend: tgi, url: "http://a:b@c", memoryBytes: 1, replicas: 2 }
`);
    expect(message).toMatch(/config\.yaml: \d+ problems\n/);
    for (const part of [
      'redis.url is "redis://(hidden)@valkey:6379"; allowed: an address without a password in it',
      "  tokensFile is nothing; allowed: text",
      'registries.insecure[0] is "registry.example"; allowed: a loopback host',
      'line 5: workers[0].url is "ftp://ollama"; allowed: an http or https address',
      "workers[0].memoryBytes is -1",
      'workers[2].backend is "tgi"; allowed: ollama, triton, vllm',
      "line 7: workers[2].replicas is no key; allowed: name, backend, url, memoryBytes, diskBytes, models, pins, keeps, scale",
      'workers[2].name is "W3"; allowed: small letters',
    ]) {
      expect(message).toContain(part);
    }
    expect(message).not.toContain("s3cret");
    expect(message).not.toContain("a:b@");
  });

  it("checks what fields mean together", () => {
    const message = messageOf(`
listen: { port: 2000, metricsPort: 2000 }
redis: { url: "redis://valkey:6379" }
tokensFile: t
workers:
  - { name: w1, backend: ollama, url: "http://ollama", memoryBytes: 1, models: [x], pins: ["a b", hf.co/a/b] }
  - { name: w1, backend: vllm, url: "http://vllm:8000", memoryBytes: 1 }
`);
    expect(message.split("\n").slice(1)).toEqual([
      "  line 6: workers[0].models is a list of 1; allowed: no models: ollama reports its models",
      expect.stringContaining('workers[0].pins[0] is "a b"; allowed: a model\'s name'),
      expect.stringContaining(
        'workers[0].pins[1] is "hf.co/a/b"; allowed: a model\'s name: the registry "hf.co" is not',
      ),
      '  line 7: workers[1].name is "w1"; allowed: a name that no other worker has',
      "  line 7: workers[1].models is nothing; allowed: the models that this vllm serves",
      '  line 2: listen.metricsPort is 2000; allowed: another port than "listen.port"',
    ]);
  });

  it.each([
    [
      "worker: []",
      "  line 1: worker is no key; allowed: listen, redis, tokensFile, registries, workers, idle, pulls, limits, inference, tracing; did you mean workers?",
    ],
    ["idel: {}", "; did you mean idle?"],
    ["just text", '  the file is "just text"; allowed: a mapping with the keys listen, redis, tokensFile,'],
    ["workers: {}", "  line 1: workers is a mapping; allowed: a list"],
    [
      "pulls: { attempts: many, Concurrency: 2 }",
      '  line 1: pulls.attempts is "many"; allowed: a value of type number',
    ],
    [
      "pulls: { queuedPerCaller: 20, queued: 10 }",
      '  line 1: pulls.queuedPerCaller is 20; allowed: no more than "queued": one caller would keep all others out',
    ],
    [
      "pulls: { Concurrency: 2 }",
      "  line 1: pulls.Concurrency is no key; allowed: concurrency, queuedPerCaller, queued, attempts, backoffSeconds, turnSeconds, timeoutSeconds; did you mean concurrency?",
    ],
    [SMALL.replace("workers:", "passwordFile: x\nworkers:"), "passwordFile is no key"],
    [SMALL.replace("name: w1", "named: w1"), "workers[0].named is no key; allowed: name, backend,"],
  ])("says what stands where in %j, and what may", (text, expected) => {
    expect(messageOf(text)).toContain(expected);
  });

  it.each(["[", "just text", "", "workers: *nowhere"])("says what is wrong with a file that holds %j", (text) => {
    expect(() => read(text)).toThrow(ConfigError);
  });

  it("says that a file is not there", () => {
    expect(() => readConfig(join(folder, "none.yaml"))).toThrow(/none\.yaml cannot be read: ENOENT/);
  });
});

function messageOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.message;
    }
  }
  throw new Error("the configuration was accepted");
}
