import { describe, expect, it } from "vitest";
import { cronProblem } from "../../../planner/schedule/cron";
import { isTimeZone } from "../../../planner/schedule/zones";
import { readArchitectures } from "../../../stacks/architectures";
import { toPlanRequest } from "../../../stacks/plan-request";
import { parseWith, problemsWith } from "./samples";

const chat = { model: "qwen2.5-7b-instruct", replicas: { min: 1, max: 3 } };
const small = { model: "llama-3.2-3b-instruct", engine: "ollama" };
const withScaling = (scaling: unknown, model: object = chat) => ({ models: { chat: { ...model, scaling } } });
const path = "models.chat.scaling";

/** Where, and what to do. */
const toldOf = (changes: object) => problemsWith({ ...changes }).map((problem) => [problem.path, problem.fix]);
/** Where, and why. */
const whyOf = (changes: object) => problemsWith({ ...changes }).map((problem) => [problem.path, problem.allowed]);

async function requested(changes: object) {
  const parsed = parseWith({ ...changes });
  if (!parsed.ok) {
    throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  }
  const architectures = await readArchitectures(parsed.environment, ".");
  return toPlanRequest("test", parsed.environment, architectures).models;
}

describe("models.<name>.scaling", () => {
  it("is KEDA's where replicas may change and nobody says otherwise, and nothing where they may not", async () => {
    const [scaled, fixed] = await requested({ models: { chat, small } });
    expect(scaled?.scaling).toEqual({ by: "keda", targets: {}, schedule: [], spareReplicas: 0 });
    expect(fixed).not.toHaveProperty("scaling");
  });

  it("says everything of a model that sleeps, and of one with a schedule", () => {
    const schedule = [{ from: "0 8 * * mon-fri", to: "30 18 * * 1-5", timezone: "Europe/Berlin", replicas: 3 }];
    expect(
      toldOf(
        withScaling({ on: ["queue", "latency"], targets: { queue: 2, latency: 900 }, schedule, spareReplicas: 2 }),
      ),
    ).toEqual([]);
    expect(toldOf(withScaling({ idleSeconds: 1800 }, { ...chat, replicas: { min: 0 } }))).toEqual([]);
    expect(toldOf(withScaling({ on: ["gpuMemory"] }, { ...small, replicas: { min: 0, max: 2 } }))).toEqual([]);
  });

  it.each([
    [{ by: "kedda" }, `${path}.by`, /did you mean "keda"/],
    [{ on: [] }, `${path}.on`, /queue/],
    [{ on: ["kvcache"] }, `${path}.on[0]`, /kvCache/],
    [{ signals: ["queue"] }, `${path}.signals`, /on: \[queue\]/],
    [{ targets: { kvCache: 101 } }, `${path}.targets.kvCache`, /write for example 100/],
    [{ targets: { latency: 0 } }, `${path}.targets.latency`, /write for example 1/],
    [{ targets: { kvCache: 0.8 } }, `${path}.targets.kvCache`, /^write 80$/],
    [{ targets: { gpuMemory: "75%" } }, `${path}.targets.gpuMemory`, /write 75/],
    [{ spareReplicas: -1 }, `${path}.spareReplicas`, /remove it for the default, 0/],
    [{ idleSeconds: 10 }, `${path}.idleSeconds`, /write for example 60/],
    [{ schedule: [{ from: "0 8 * * *" }] }, `${path}.schedule[0].to`, /add it, for example/],
  ])("is not %j", (scaling, at, fix) => {
    const told = toldOf(withScaling(scaling)).find(([where]) => where === at);
    expect(told?.[1]).toMatch(fix);
  });

  it("follows the GPU memory of a repository's back ends, which take it as requests need it", () => {
    const repository = (backends?: string) => ({
      model: "bge-reranker-v2-m3",
      engine: "triton",
      source: "s3://models/ranking",
      replicas: { min: 1, max: 2 },
      triton: { repository: { memoryGiB: 4, ...(backends && { backends }) } },
    });
    const about = (model: object) => toldOf(withScaling({ on: ["gpuMemory"] }, model)).map(([where]) => where);
    expect(about(repository())).not.toContain(`${path}.on[0]`);
    expect(about(repository("tensorrtllm"))).toContain(`${path}.on[0]`);
  });

  it("follows no GPU memory of an engine that takes all of it when it starts, and says why", () => {
    const [problem] = problemsWith(withScaling({ on: ["queue", "gpuMemory"] }));
    expect(problem).toMatchObject({ path: `${path}.on[1]`, value: '"gpuMemory"', fix: "write on: [queue, kvCache]" });
    expect(problem?.allowed).toContain("vLLM takes all that it may when it starts");
  });

  it.each([
    ["kvCache", small, "write on: [queue]"],
    ["kvCache", { ...small, engine: "triton", task: "completion" }, "write on: [queue]"],
  ])("follows no %s of %j, which does not report it", (signal, model, fix) => {
    expect(toldOf(withScaling({ on: [signal] }, { ...model, replicas: { max: 2 } }))).toEqual([[`${path}.on[0]`, fix]]);
  });

  it("follows the latency of an engine that reports none: the gateway measures it", () => {
    const scaling = { on: ["latency"], targets: { latency: 500 } };
    expect(toldOf(withScaling(scaling, { ...small, replicas: { max: 2 } }))).toEqual([]);
  });

  it("follows each signal once: KEDA refuses two triggers of one name", () => {
    expect(toldOf(withScaling({ on: ["queue", "kvCache", "queue"] }))).toEqual([[`${path}.on[2]`, "remove it"]]);
  });

  it("has room between min and max", () => {
    expect(toldOf(withScaling({ on: ["queue"] }, { ...chat, replicas: { min: 2, max: 2 } }))).toEqual([
      [path, "write replicas: {min: 2, max: 3}, or remove scaling"],
    ]);
  });

  it("is nobody's of Ray Serve, whatever it says", () => {
    const ray = { model: "llama-3.1-8b-instruct", engine: "ray", replicas: { min: 2, max: 4 } };
    expect(toldOf({ models: { chat: ray } })).toEqual([
      ["models.chat.replicas.max", "write replicas: {min: 2, max: 2}, or take an engine whose replicas follow demand"],
    ]);
    expect(whyOf({ models: { chat: ray } })[0]?.[1]).toContain("no scale subresource");
    // Nothing would wake it.
    expect(toldOf({ models: { chat: { ...ray, replicas: { min: 0 } } } })).toHaveLength(1);
  });

  it("keeps targets to what is followed, and asks for that of latency", () => {
    expect(toldOf(withScaling({ targets: { latency: 80 } }))).toEqual([
      [`${path}.targets.latency`, "add latency to on, or remove the target"],
    ]);
    expect(toldOf(withScaling({ on: ["latency"] }))).toEqual([
      [`${path}.targets`, "write targets: {latency: 5000} or another time in milliseconds per request"],
    ]);
  });

  it("sleeps only where none always runs", () => {
    expect(toldOf(withScaling({ idleSeconds: 600 }))).toEqual([
      [`${path}.idleSeconds`, "remove it, or write replicas.min: 0"],
    ]);
  });

  it("keeps no more spare than may come", () => {
    expect(toldOf(withScaling({ spareReplicas: 3 }))).toEqual([
      [`${path}.spareReplicas`, "write 2, or raise replicas.max"],
    ]);
  });

  it("leaves the scaling of a shared server to its host", () => {
    const guest = { model: "bge-m3", engine: "ollama", contextTokens: 1024, ollama: { serverOf: "small" } };
    const models = { small: { ...small, replicas: { max: 2 } }, guest: { ...guest, scaling: { on: ["queue"] } } };
    expect(toldOf({ models })).toEqual([["models.guest.scaling", expect.stringContaining("models.small.scaling")]]);
  });

  it("is a canary's too where it has replicas to scale, but for times and spare room", async () => {
    const schedule = [{ from: "0 8 * * *", to: "0 18 * * *", replicas: 3 }];
    const canary = { engineVersion: "0.30.0" };
    const scaling = { targets: { queue: 7 }, schedule, spareReplicas: 1 };
    const model = { ...chat, source: "hf://Qwen/Qwen2.5-7B-Instruct", scaling };
    const [, one] = await requested({ models: { chat: { ...model, canary } } });
    expect(one).not.toHaveProperty("scaling");
    const [, two] = await requested({ models: { chat: { ...model, canary: { ...canary, replicas: { max: 2 } } } } });
    expect(two?.scaling).toMatchObject({ targets: { queue: 7 }, schedule: [], spareReplicas: 0 });
  });
});

describe("models.<name>.scaling.by: hpa", () => {
  const hpa = { by: "hpa", on: ["latency"], targets: { latency: 80 } };

  it("scales on what an adapter of the cluster serves", () => {
    expect(toldOf(withScaling(hpa))).toEqual([]);
  });

  it.each([
    [{ ...hpa, on: ["queue"], targets: {} }, "models.chat.scaling.on"],
    [{ ...hpa, on: ["kvCache", "latency"] }, "models.chat.scaling.on"],
    [{ by: "hpa" }, "models.chat.scaling.on"],
    [{ ...hpa, schedule: [{ from: "0 8 * * *", to: "0 18 * * *", replicas: 2 }] }, "models.chat.scaling.schedule"],
  ])("cannot do %j", (scaling, at) => {
    expect(toldOf(withScaling(scaling)).map(([where]) => where)).toEqual([at]);
  });

  it.each([
    [{ by: "hpa" }, chat, "write for example on: [latency] with targets: {latency: 5000}, or by: keda"],
    [{ by: "hpa" }, small, "write for example on: [latency] with targets: {latency: 5000}, or by: keda"],
    [{ by: "hpa", on: ["gpuMemory"] }, chat, "write for example on: [latency] with targets: {latency: 5000}"],
  ])("names for %j of %j what an adapter serves of its engine", (scaling, model, fix) => {
    const told = toldOf(withScaling(scaling, { ...model, replicas: { min: 1, max: 3 } }));
    expect(told.map(([, remedy]) => remedy)).toEqual([fix]);
  });

  it("wakes nothing", () => {
    expect(toldOf(withScaling(hpa, { ...chat, replicas: { min: 0, max: 2 } }))).toEqual([
      ["models.chat.replicas.min", "write by: keda, or replicas.min: 1"],
    ]);
  });

  it("is not beside KEDA: a cluster has one server of external metrics", () => {
    const both = { models: { chat: { ...chat, scaling: hpa }, small: { ...small, replicas: { max: 2 } } } };
    expect(toldOf(both)).toEqual([
      ["models.chat.scaling.by", "write by: keda here, or by: hpa for each of the others"],
    ]);
    expect(whyOf(both)[0]?.[1]).toContain("KEDA scales models.small");
    expect(toldOf({ models: { chat: { ...chat, scaling: hpa }, small } })).toEqual([]);
  });
});

describe("models.<name>.scaling.schedule", () => {
  const right = { from: "0 8 * * 1-5", to: "0 18 * * 1-5", timezone: "Europe/Berlin", replicas: 3 };
  const at = `${path}.schedule[0]`;

  it.each([
    [{ replicas: 4 }, `${at}.replicas`, "write 3, or raise replicas.max to 4"],
    [{ replicas: 1 }, `${at}.replicas`, "write 2 to 3, or remove it"],
    [{ from: "@daily" }, `${at}.from`, 'write for example "0 8 * * 1-5": at 8 on working days'],
    [{ to: "0 24 * * *" }, `${at}.to`, 'write for example "0 18 * * 1-5": at 18 on working days'],
    [{ to: right.from }, `${at}.to`, 'write when it ends, for example "0 18 * * 1-5"'],
    [{ timezone: "CEST" }, `${at}.timezone`, "write the zone of a city, or UTC"],
    [{ timezone: "Europe/Berlim" }, `${at}.timezone`, "write the zone of a city, or UTC"],
  ])("is not %j", (change, where, fix) => {
    expect(toldOf(withScaling({ schedule: [{ ...right, ...change }] }))).toEqual([[where, fix]]);
  });

  it.each([
    "* * * * *",
    "*/15 0-6 1,15 jan-mar MON",
    "0 8 * * 0",
    "? ? ? ? ?",
    "5/10 * * * *",
    " 0  8 * * 1 ",
    "0 8 31 2 mon",
    "0 8 29 2 *",
    "0 8 31 */6 *",
    "0 8 28/3 2 *",
  ])("reads %j as KEDA does", (expression) => {
    expect(cronProblem(expression)).toBeUndefined();
  });

  it.each([
    "",
    "0 8 * *",
    "0 8 * * * *",
    "@hourly",
    "60 * * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "5-1 * * * *",
    "*/0 * * * *",
    "1,,2 * * * *",
    "a * * * *",
    "1-2-3 * * * *",
    "TZ=UTC * * * * *",
    // Times that never come.
    "0 8 31 2 *",
    "0 8 30-31 feb ?",
    "0 8 31 4,jun,9-11/2 *",
  ])("does not read %j", (expression) => {
    expect(cronProblem(expression)).toBeDefined();
  });

  it.each([
    ["UTC", true],
    ["America/Argentina/Buenos_Aires", true],
    ["Etc/GMT+5", true],
    ["utc", false],
    ["+01:00", false],
    ["europe/berlin", false],
    ["Europe/BERLIN", false],
    // An older name of a zone.
    ["US/Eastern", true],
    ["Mars/Olympus", false],
  ])("knows the zone %s: %s", (name, known) => {
    expect(isTimeZone(name)).toBe(known);
  });
});
