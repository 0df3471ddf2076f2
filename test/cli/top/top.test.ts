/** `npm run top` against servers that answer, refuse, are away and come back. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { CommandIo } from "../../../cli/io";
import type { ScreenEvents } from "../../../cli/screen";
import { main } from "../../../cli/top";
import type { Snapshot } from "../../../cli/top/facts";
import { environmentIn, laptop, runPiped, useFolder } from "../run";
import { closeServers, listen, type Routes, serve } from "../smoke-servers";

const folder = useFolder();
afterAll(closeServers);

const CONTROL: Routes = {
  "GET /workers": () => ({
    body: {
      workers: [
        {
          name: "chat",
          backend: "ollama",
          state: "running",
          memory: { budget_bytes: 2 ** 33, used_bytes: 2 ** 32 },
          models: ["qwen2.5:0.5b"],
        },
      ],
    },
  }),
  "GET /models": () => ({
    body: {
      models: [
        { model: "qwen2.5:0.5b", state: "loaded", pinned: true, placements: [{ worker: "chat", state: "loaded" }] },
        { model: "llama3.2:1b", state: "pulling", pinned: false, placements: [{ worker: "chat", state: "pulling" }] },
      ],
    },
  }),
  "GET /tasks*": () => ({
    body: {
      tasks: [
        { task_id: "a", kind: "pull", model: "llama3.2:1b", state: "running", progress: 42 },
        { task_id: "b", kind: "load", model: "old", state: "completed", progress: 100 },
        { task_id: "c", kind: "load", model: "old", state: "failed", progress: 0, finished_at: "2020-01-01T00:00:00Z" },
      ],
    },
  }),
};

/** Two slices (MIG) of a card, by the pods that have them. */
const SLICES: readonly (readonly [model: string, memory: string, busy: string])[] = [
  ["chat", "88", "95"],
  ["search", "20", "3"],
];

/** Each query's answer by a part of it; none of the others. */
const ANSWERS: readonly (readonly [string, object, string])[] = [
  ["sum by (model) (inference:ready_replicas:count)", { model: "chat" }, "2"],
  ["requests_waiting", { model: "chat" }, "7"],
  ["time_to_first_token", { model: "chat" }, "NaN"],
  ["kv_cache_usage", { model: "chat" }, "0.5"],
  ["gpu_memory_utilization", { node: "n", gpu: "0", product: "L40S", namespace: "model-chat" }, "88"],
  ["inference:model_cost", { model: "chat" }, "3.5"],
  ["inference:cost:usd_per_hour", {}, "4.25"],
  ["ALERTS", { alertname: "ModelUnavailable", severity: "critical", namespace: "model-chat" }, "1"],
];
const PROMETHEUS: Routes = {
  "GET /api/v1/query*": ({ path }) => {
    const query = new URLSearchParams(path.slice(path.indexOf("?") + 1)).get("query") ?? "";
    const found = ANSWERS.find(([part]) => query.includes(part));
    const result = found === undefined ? [] : [{ metric: found[1], value: [1, found[2]] }];
    return { body: { status: "success", data: { resultType: "vector", result } } };
  },
};

const token = (text = "secret") => {
  const file = join(folder, "token");
  writeFileSync(file, `${text}\n`);
  return file;
};

async function picture(...argv: string[]): Promise<{ readonly status: number; readonly snapshot: Snapshot }> {
  const { status, out } = await runPiped(main, [...argv, "--json"]);
  return { status, snapshot: JSON.parse(out) as Snapshot };
}

describe("npm run top", () => {
  it("works over the control API alone, by its token, and reports what is missing", async () => {
    const { url, requests } = await serve(CONTROL);
    const { status, out } = await runPiped(main, [url, "--token-file", token()]);
    expect(status).toBe(0);
    expect(out).toMatch(/llama3\.2:1b +pulling/);
    expect(out).toMatch(/pull llama3\.2:1b +running .* 42 %/);
    expect(out).toContain("--prometheus URL");
    expect(out).not.toContain("old");
    expect(new Set(requests.map(({ method, authorization }) => `${method} ${authorization}`))).toEqual(
      new Set(["GET Bearer secret"]),
    );
  });

  it("joins plan, control API and Prometheus to one row for each model", async () => {
    const [control, prometheus] = await Promise.all([serve(CONTROL), serve(PROMETHEUS)]);
    const file = environmentIn(folder, laptop);
    const urls = ["--control-url", control.url, "--prometheus", prometheus.url];
    const { status, snapshot } = await picture("test", "--config", file, ...urls);
    expect(status).toBe(0);
    expect(snapshot).toMatchObject({ environment: "test", hourlyUsd: 0, actualHourlyUsd: 4.25 });
    expect(snapshot.models).toEqual([
      {
        name: "chat",
        plannedReplicas: 1,
        hourlyUsd: 0,
        ready: 2,
        waiting: 7,
        kvCache: 0.5,
        gpuMemory: 0.88,
        usdPerHour: 3.5,
        state: "loaded",
        workers: ["chat"],
      },
      { name: "llama3.2:1b", state: "pulling", workers: ["chat"] },
    ]);
    expect(snapshot.alerts).toEqual([{ name: "ModelUnavailable", severity: "critical", about: "model-chat" }]);
  });

  it("tells slices of a card apart by their pods", async () => {
    const { url } = await serve({
      "GET /api/v1/query*": ({ path }) => {
        const query = new URLSearchParams(path.slice(path.indexOf("?") + 1)).get("query");
        const at = ["gpu_memory_utilization", "gpu_utilization_percent"].indexOf(query ?? "");
        const result = SLICES.map(([model, ...values]) => ({
          metric: { node: "n", gpu: "0", product: "H100", namespace: `model-${model}`, pod: `${model}-0` },
          value: [1, values[at] ?? "NaN"],
        }));
        return { body: { status: "success", data: { resultType: "vector", result } } };
      },
    });
    const { snapshot } = await picture("http://127.0.0.1:1", "--prometheus", url);
    expect(snapshot.gpus).toMatchObject([
      { model: "chat", memory: 0.88, utilization: 0.95 },
      { model: "search", memory: 0.2, utilization: 0.03 },
    ]);
  });

  it("asks the gateway for the times of engines that report none", async () => {
    const { url, requests } = await serve(PROMETHEUS);
    await picture("http://127.0.0.1:1", "--prometheus", url);
    const asked = requests.map(({ path }) => new URLSearchParams(path.slice(path.indexOf("?") + 1)).get("query") ?? "");
    for (const [engine, gateway] of [
      ["vllm:time_to_first_token_seconds_bucket", "gen_ai_server_time_to_first_token_seconds_bucket"],
      ["vllm:inter_token_latency_seconds_bucket", "gen_ai_server_time_per_output_token_seconds_bucket"],
    ] as const) {
      const query = asked.find((each) => each.includes(engine)) ?? "";
      expect(query.indexOf(gateway)).toBeGreaterThan(query.indexOf(engine));
      expect(query).toContain("group_left (model) inference:called_model:info");
    }
  });

  it("works with Prometheus while the control API is away, and exits with 1", async () => {
    const { url } = await serve(PROMETHEUS);
    const { status, snapshot } = await picture("http://127.0.0.1:1", "--prometheus", url);
    expect(status).toBe(1);
    expect(snapshot.models.map(({ name }) => name)).toEqual(["chat"]);
    expect(snapshot.sources.control.problem).toContain("nothing listens");
  });

  it("asks no control API of an environment without one", async () => {
    const { url } = await serve(PROMETHEUS);
    const file = environmentIn(folder, laptop);
    const { status, snapshot } = await picture("test", "--config", file, "--prometheus", url);
    expect([status, snapshot.sources.control]).toEqual([0, { ok: false }]);
    const { out } = await runPiped(main, ["test", "--config", file]);
    expect(out).toContain("name the control API (--control-url URL)");
  });

  it.each([
    ["a token that is refused", { status: 401, body: { detail: "no valid token" } }, "--token-file"],
    ["what is no control API", { body: "<html>" }, "address of the model control API"],
  ] as const)("names what to look at for %s", async (_, reply, lookAt) => {
    const { url } = await serve({ "GET /*": () => reply });
    const { status, snapshot } = await picture(url);
    expect(status).toBe(1);
    expect(snapshot.sources.control.lookAt).toContain(lookAt);
  });

  it("has one picture of a Prometheus without series of the platform", async () => {
    const { url } = await serve({ "GET /api*": () => ({ body: { data: { result: [] } } }) });
    const { status, snapshot } = await picture("http://127.0.0.1:1", "--prometheus", url);
    expect([status, snapshot.models]).toEqual([1, []]);
  });

  it("reports every mistake in its arguments at once", async () => {
    const { status, err } = await runPiped(main, ["http://a", "b", "--prometheus", "nine", "--interval", "0"]);
    expect(status).toBe(2);
    expect(err).toContain("--prometheus must be");
    expect(err).toContain("--interval must be");
    expect(err).toContain("name one environment or URL");
  });
});

/** A terminal whose keys are pressed by the test. */
function terminal() {
  const drawn: string[] = [];
  let events: ScreenEvents | undefined;
  let size = { columns: 100, rows: 30 };
  let closed = 0;
  const screen: CommandIo["screen"] = (given) => {
    events = given;
    const close = () => {
      closed += 1;
    };
    return { size: () => size, draw: (text) => void drawn.push(text), close };
  };
  return {
    screen,
    last: () => drawn.at(-1) ?? "",
    closed: () => closed,
    press: (text: string) => events?.onKey({ name: text, text }),
    resize: (columns: number, rows: number) => {
      size = { columns, rows };
      events?.onResize();
    },
  };
}

describe("top on a terminal", () => {
  it("redraws after keys and a resize, survives a server that leaves and comes back, and gives the terminal back", async () => {
    let away = false;
    const { url } = await listen((request, response) => {
      if (away) {
        response.destroy();
        return;
      }
      const route = Object.entries(CONTROL).find(([key]) => `GET ${request.url}`.startsWith(key.replace("*", "")));
      response.end(JSON.stringify(route?.[1]({ path: "", body: {} }).body));
    });
    const { screen, last, closed, press, resize } = terminal();
    const io: CommandIo = { out: () => {}, err: () => {}, color: false, screen };
    const ended = main([url, "--interval", "1"], io);
    await expect.poll(last, { timeout: 10_000 }).toContain("llama3.2:1b");
    press("?");
    expect(last()).toContain("any key closes it");
    press("x");
    resize(60, 10);
    expect(last().split("\n")).toHaveLength(10);
    expect(
      Math.max(
        ...last()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(60);
    resize(100, 30);
    away = true;
    await expect.poll(last, { timeout: 10_000 }).toMatch(/cut off; figures are of/);
    expect(last()).toContain("llama3.2:1b");
    away = false;
    await expect.poll(last, { timeout: 10_000 }).not.toMatch(/figures are of/);
    press("q");
    expect(await ended).toBe(0);
    expect(closed()).toBe(1);
  }, 60_000);

  it("quits at once, also while a server hangs", async () => {
    const { url } = await serve({ "GET /*": () => ({ hang: true }) });
    const { screen, press } = terminal();
    const ended = main([url], { out: () => {}, err: () => {}, color: false, screen });
    await sleep(50);
    press("q");
    expect(await ended).toBe(0);
  }, 5_000);
});
