/** What servers, files and arguments say, on the terminal of each command: nothing that moves its cursor, titles it or turns its text. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { guarded } from "../../cli/io";
import { runCommand } from "../../cli/main";
import { repositoryRoot } from "../../names/repository-root";
import { isVisible } from "../../names/visible";
import { style } from "../../report/style";
import { evilCluster } from "./evil-cluster";
import { EVIL, expectHarmless, terminalOf } from "./hostile";
import { environmentIn, laptop, onA10, runPiped, useFolder } from "./run";
import { closeServers, listen, ollama, openAi, type Routes, serve } from "./smoke-servers";

const folder = useFolder();
afterEach(() => vi.unstubAllEnvs());
afterAll(closeServers);

const read = (file: string) => readFileSync(join(repositoryRoot(), file), "utf8");

const evilModels = { "GET /v1/models": () => ({ body: { data: [{ id: EVIL }, { id: `${EVIL}2` }] } }) };

/** A control API and a Prometheus that call everything by that name. */
const evilPlatform: Routes = {
  "GET /workers": () => ({
    body: {
      workers: [
        {
          ...{ name: EVIL, backend: EVIL, state: EVIL, models: [EVIL], problem: EVIL },
          memory: { budget_bytes: 2, used_bytes: 1 },
        },
      ],
    },
  }),
  "GET /models": () => ({ body: { models: [{ model: EVIL, state: EVIL, pinned: false, placements: [] }] } }),
  "GET /tasks*": () => ({
    body: { tasks: [{ task_id: EVIL, kind: "pull", state: "queued", model: EVIL, progress: 0, step: EVIL }] },
  }),
  "GET /api/v1/query*": () => ({
    body: {
      data: { result: [{ metric: { model: EVIL, node: EVIL, alertname: EVIL, severity: EVIL }, value: [1, "1"] }] },
    },
  }),
};

const ATTACKS: Readonly<Record<string, () => Promise<readonly string[][]>>> = {
  plan: async () => {
    const hostname = environmentIn(folder, { ...laptop, gateway: { ...laptop.gateway, hostname: EVIL } });
    return [[EVIL], ["test", "--config", hostname], ["dev", `--${EVIL}`]];
  },
  model: async () => [[EVIL], ["qwen2.5-7b-instruct", "--shape", EVIL]],
  list: async () => [[EVIL], [`--${EVIL}`]],
  import: async () => {
    const recipe = join(folder, "evil.json");
    writeFileSync(recipe, JSON.stringify({ recipe_mode: "service", deployment_name: EVIL, recipe_image_uri: EVIL }));
    const values = join(folder, "evil.yaml");
    const modelSpec = [{ name: EVIL, modelURL: EVIL, tag: EVIL, env: [{ name: EVIL, value: EVIL }] }];
    writeFileSync(values, JSON.stringify({ servingEngineSpec: { modelSpec }, [EVIL]: EVIL }));
    const out = ["--out", join(folder, "Pulumi.evil.yaml"), "--force"];
    return [[EVIL], [`--${EVIL}`], [recipe, ...out], [values, ...out], [values, "--out", EVIL]];
  },
  pin: async () => {
    const source = `hf://o/${EVIL}`;
    return [
      [EVIL],
      ["test", "--config", environmentIn(folder, { ...laptop, models: { chat: { ...laptop.models.chat, source } } })],
    ];
  },
  pins: async () => [[EVIL]],
  render: async () => [[EVIL]],
  gitops: async () => [[EVIL], ["release", "--state", EVIL, "--out", join(folder, "out.json")]],
  rancher: async () => [[EVIL], [`--${EVIL}`]],
  portainer: async () => [[EVIL], [`--${EVIL}`]],
  bundle: async () => [[EVIL]],
  charts: async () => [[EVIL]],
  doctor: async () => [[EVIL]],
  rehearse: async () => [[EVIL]],
  try: async () => [[EVIL]],
  status: async () => [[EVIL]],
  cost: async () => {
    const labels = { tenant: EVIL, model: EVIL, pool: EVIL };
    const samples = { resultType: "vector", result: [{ metric: labels, value: [0, "1"] }] };
    const [answers, refuses, other] = await Promise.all([
      serve({ "GET /api/v1/query*": () => ({ body: { status: "success", data: samples } }) }),
      serve({ "GET /api/v1/query*": () => ({ status: 400, body: EVIL }) }),
      serve({ "GET /allocation/compute*": () => ({ status: 500, body: EVIL }) }),
    ]);
    const asks = ["dev", "--prometheus", answers.url];
    return [
      ...[[EVIL], ["dev", "--prometheus", EVIL], ["dev", "--prometheus", refuses.url]],
      ...[asks, [...asks, "--csv"], [...asks, "--opencost", other.url], [...asks, "--days", EVIL]],
    ];
  },
  top: async () => {
    const { url } = await serve(evilPlatform);
    return [
      [EVIL],
      [url],
      [url, "--json"],
      [url, "--prometheus", url],
      [url, "--prometheus", EVIL],
      [`${url}/${EVIL}`],
    ];
  },
  fleet: async () => [[EVIL], ["plan", EVIL]],
  smoke: async () => {
    const refusing = { "POST /v1/chat/completions": () => ({ status: 400, body: { error: { message: EVIL } } }) };
    const version = { "GET /api/version": () => ({ body: { version: EVIL } }) };
    const servers = await Promise.all([openAi(evilModels), openAi(refusing), ollama({ ...version, ...evilModels })]);
    return servers.flatMap(({ url }) => [
      ["--url", url, "--timeout", "2"],
      ["--url", url, "--timeout", "2", "--json"],
    ]);
  },
  "alert-test": async () => {
    const { url } = await serve({
      "GET /api/v2/receivers": () => ({ body: [{ name: EVIL }] }),
      "GET /metrics": () => ({ body: "" }),
      "POST /api/v2/alerts": () => ({ status: 400, body: EVIL }),
    });
    return [[EVIL], ["--url", EVIL], ["--url", url], ["--url", url, "--timeout", EVIL]];
  },
  measure: async () => {
    const { url } = await openAi(evilModels);
    return [[EVIL], ["--url", url], ["--url", url, "--model", EVIL], ["--url", `http://127.0.0.1:1/${EVIL}`]];
  },
  calibrate: async () => {
    const { url } = await serve(evilPlatform);
    return [[EVIL], ["dev", "--prometheus", EVIL], ["dev", "--prometheus", url, "--model", EVIL]];
  },
};

/** Commands that ask servers other than the gateway, which answer. */
const SERVERS: Readonly<Record<string, () => Promise<readonly string[][]>>> = {
  doctor: async () => {
    vi.stubEnv("PATH", join(folder, "nowhere"));
    const file = await evilCluster(join(folder, "kubeconfig"));
    return [
      ["dev", "--kubeconfig", file],
      ["dev", "--kubeconfig", file, "--json"],
    ];
  },
  status: async () => {
    const file = await evilCluster(join(folder, "kubeconfig"));
    return [
      ["dev", "--kubeconfig", file],
      ["dev", "--kubeconfig", file, "--json"],
    ];
  },
  pin: async () => {
    const answer = async (body: object) => (await listen((_, response) => void response.end(JSON.stringify(body)))).url;
    vi.stubEnv("HF_ENDPOINT", await answer({ sha: EVIL, error: EVIL }));
    return [["test", "--config", environmentIn(folder, onA10({ model: "qwen2.5-7b-instruct", concurrency: 2 }))]];
  },
};

describe("the terminal of a command", () => {
  it("is looked at for every command", async () => {
    const { err } = await runPiped(runCommand, ["plna"]);
    expect(err).toContain(`commands: ${Object.keys(ATTACKS).join(", ")}`);
  });

  it("is written to at one place", () => {
    const files = ["cli", "report", "bundle", "downloads", "offline"].flatMap((room) =>
      readdirSync(join(repositoryRoot(), room), { recursive: true, encoding: "utf8" }).map((file) => join(room, file)),
    );
    const writing = files.filter(
      (file) => /\.ts$/.test(file) && /process\.std(out|err)\.write|console\./.test(read(file)),
    );
    expect(writing).toEqual([join("cli", "io.ts")]);
  });

  it.each(Object.keys(ATTACKS))("shows what strangers say to %s as text", async (name) => {
    for (const argv of (await ATTACKS[name]?.()) ?? []) {
      expectHarmless((await terminalOf(name, ...argv)).text);
    }
  });

  it.each(Object.keys(SERVERS))("shows what a hostile server answers %s as text", async (name) => {
    const shown: string[] = [];
    for (const argv of (await SERVERS[name]?.()) ?? []) {
      const { text } = await terminalOf(name, ...argv);
      expectHarmless(text);
      shown.push(text);
    }
    // Of a hub nothing is repeated.
    expect(shown.join("")).toMatch(name === "pin" ? /answers without a commit/ : /PWNED/);
  });

  it("keeps a server's text within its line", async () => {
    const { url } = await openAi({
      "POST /v1/chat/completions": () => ({ status: 400, body: { error: { message: "bad\n✓ all passed" } } }),
    });
    expect((await terminalOf("smoke", "--url", url, "--timeout", "2")).text).not.toMatch(/^✓ all passed/m);
  });

  it("has the program's own colours, where there are colours, and nobody else's", () => {
    const parts: string[] = [];
    const write = (text: string) => void parts.push(text);
    for (const color of [true, false]) {
      const io = guarded({ out: write, err: write, color });
      io.out(style(color).good("yes\u001b[31m"));
      io.out("\u001b[32mno\n");
    }
    expect(parts).toEqual([
      "\u001b[32myes\\u001b[31m\u001b[39m",
      "\\u001b[32mno\n",
      "yes\\u001b[31m",
      "\\u001b[32mno\n",
    ]);
  });

  it("shows any text, on each stream, as text; all else stays as it is", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(...EVIL, "[1m", "\n", "\t") }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const parts: string[] = [];
        const write = (part: string) => void parts.push(part);
        const io = guarded({ out: write, err: write, draw: write, color: true });
        io.out(text);
        io.err(text);
        io.draw?.(text);
        expect(isVisible(parts.join("").replaceAll(/[\n\t]/g, ""))).toBe(true);
        if (isVisible(text)) {
          expect(parts).toEqual([text, text, text]);
        }
      }),
    );
  });
});

describe("files of measurements", () => {
  it("are not written of a version with control characters", async () => {
    const { url } = await openAi({ "GET /version": () => ({ body: { version: EVIL } }) });
    const file = join(folder, "out.json");
    const what = ["--card", "l40s", "--weights", "org/name", "--out", file];
    const { status, text } = await terminalOf("measure", "--url", url, ...what);
    expect([status, existsSync(file)]).toEqual([2, false]);
    expect(text).toContain("what is measured is not stated: --engine, --engine-version missing");
  });

  it.each(["by", "card", "model", "engineVersion"])(
    "are refused where %s has control characters or no end",
    async (key) => {
      const environment = environmentIn(folder, laptop);
      mkdirSync(join(folder, "calibration"), { recursive: true });
      const load = { inFlight: 1, inputTokens: 1, outputTokens: 1, sharedPrefixTokens: 0, requests: 1, failed: 0 };
      const figures = { ttftMs: { median: 1 }, tokensPerSecond: { value: 1 } };
      const measurement = {
        ...{ format: 1, card: "l40s", engine: "vllm", engineVersion: "0.33.0", model: "m", by: "me" },
        ...{ tensorParallel: 1, pipelineParallel: 1, measuredAt: "2026-11-01T00:00:00Z", complete: true },
        loads: [{ ...load, ...figures }],
      };
      for (const value of [EVIL, "x".repeat(201)]) {
        writeFileSync(join(folder, "calibration", "evil.json"), JSON.stringify({ ...measurement, [key]: value }));
        const { text, status } = await terminalOf("plan", "test", "--config", environment);
        expect([status, text.includes(`evil.json`) && text.includes(key)]).toEqual([2, true]);
        expectHarmless(text);
      }
      writeFileSync(join(folder, "calibration", "evil.json"), JSON.stringify(measurement));
      expect((await terminalOf("plan", "test", "--config", environment)).status).toBe(0);
    },
  );
});
