/** A descriptor, a component and three rows make an engine: `made-up/` and the mocks below are all that there is of this one. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EnvironmentRun } from "../../offline/environment";
import type { PlanResult } from "../../report/result";
import type { RecordedResource } from "../harness/deploy";

const ENGINES = "../../engines/table";
const SERVERS = "../../components/serving/servers";
const IMAGES = "../../catalog/images.json";

const models = {
  echo: { model: "llama-3.2-3b-instruct", engine: "phantom", concurrency: 2, phantom: { beam: 3, glow: true } },
};

/** The program with the longer tables: loaded anew, because files of one process share what is loaded. */
async function load() {
  vi.resetModules();
  vi.doMock(IMAGES, async (original) => {
    const { default: table } = await original<{ default: { images: object[] } }>();
    const row = { component: "phantom-cuda", repository: "registry.example.com/phantom", tag: "v1.2.3" };
    const known = { platforms: ["linux/amd64"], gpus: { computeCapability: 7, source: "made up" } };
    const glow = { ...row, component: "phantom-glow", tag: "v1.2.3-glow" };
    return { default: { ...table, images: [...table.images, { ...row, ...known }, { ...glow, ...known }] } };
  });
  vi.doMock(ENGINES, async (original) => {
    const { ENGINES: engines } = await original<typeof import("../../engines/table")>();
    const { phantom } = await import("./made-up/engine");
    return { ENGINES: { ...engines, phantom } };
  });
  vi.doMock(SERVERS, async (original) => {
    const { SERVERS: servers } = await original<typeof import("../../components/serving/servers")>();
    const { PhantomServer } = await import("./made-up/server");
    return { SERVERS: { ...servers, phantom: { onOneNode: PhantomServer } } };
  });
  const [samples, environment, judge, terminal, html, json, schema, page, config] = await Promise.all([
    import("../stacks/config/samples"),
    import("../../offline/environment"),
    import("../../report/judge"),
    import("../../report/terminal"),
    import("../../report/html"),
    import("../../report/result"),
    import("../../stacks/config/json-schema"),
    import("../../stacks/config/configuration-page"),
    import("../../stacks/config"),
  ]);
  return { ...samples, ...environment, ...judge, ...terminal, ...html, ...json, ...schema, ...page, ...config };
}

let program: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  program = await load();
}, 60_000);
afterAll(() => {
  for (const path of [ENGINES, SERVERS, IMAGES]) {
    vi.doUnmock(path);
  }
  vi.resetModules();
});

describe("the configuration of a made-up engine", () => {
  const told = (model: object) =>
    program.problemsWith({ models: { echo: { ...models.echo, ...model } } }).map(({ path, fix }) => `${path}: ${fix}`);

  it("is accepted, with the engine's own block", () => {
    expect(told({})).toEqual([]);
  });

  it("has errors of the block, of its sources, flags and variables", () => {
    expect(
      told({
        phantom: { beam: 10, hue: "red" },
        source: "ollama://qwen2.5",
        args: { ecko: 1 },
        env: { PHANTOM_NOYSE: true },
      }),
    ).toEqual([
      expect.stringMatching(/^models\.echo\.phantom\.beam: .*9/),
      expect.stringMatching(/^models\.echo\.phantom\.hue: remove it/),
      expect.stringMatching(/^models\.echo\.source: /),
      'models.echo.args.ecko: did you mean "echo"?',
      'models.echo.env.PHANTOM_NOYSE: did you mean "PHANTOM_NOISE"?',
    ]);
  });

  it("has versions of the engine's own form", () => {
    expect(told({ engineVersion: "1.3.0" })).toEqual([]);
    expect(told({ engineVersion: "2.0.0" })).toEqual([
      expect.stringMatching(/^models\.echo\.engineVersion: .*1\.2\.3/),
    ]);
  });

  it("refuses the block beside another engine", () => {
    expect(told({ engine: "vllm" })).toEqual([expect.stringMatching(/^models\.echo\.phantom: /)]);
  });

  it("stands in the JSON Schema and on the page", () => {
    expect(program.schemaText()).toContain("Width of the beam.");
    expect(program.configurationPage()).toContain("phantom.beam");
  });
});

describe("the platform of a made-up engine", () => {
  let made: EnvironmentRun;
  let result: PlanResult;
  beforeAll(async () => {
    const file = program.parseWith({ models });
    if (!file.ok) {
      throw new Error(program.formatProblems(file.problems));
    }
    made = await program.runEnvironment({ name: "test", file, baseDirectory: "." });
    result = { ...program.judge(made), seconds: 1 };
  }, 60_000);
  const ofKind = (kind: string, name: string): RecordedResource | undefined =>
    made.recording.resources.find(
      ({ type, inputs }) =>
        type.endsWith(`:${kind}`) && (inputs.metadata as { readonly name?: string } | undefined)?.name === name,
    );

  it("is planned with its own memory, format and warm-up", () => {
    expect(made.plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const [model] = made.plan.models;
    expect(model).toMatchObject({
      engine: "phantom",
      engineVersion: "1.2.3",
      tensorParallel: 1,
      maxNumSeqs: 3,
      args: { echo: 3 },
      verdict: { answer: "fits" },
    });
    expect(model?.notes).toContain("a beam of 3");
    // It takes the weights twice.
    expect(model?.memoryPerGpu.weightsGiB).toBeCloseTo((2 * (model?.weightsGB ?? 0) * 1e9) / 2 ** 30, 3);
  });

  it("is deployed by its own component", () => {
    const server = ofKind("Deployment", "model-echo");
    const spec = server?.inputs.spec as { template: { spec: { containers: object[] } } };
    expect(spec.template.spec.containers).toMatchObject([
      { image: "registry.example.com/phantom:v1.2.3-glow", args: ["--echo=3", "--glow"] },
    ]);
  });

  it("is routed to, connected to and scraped", () => {
    expect(ofKind("Backend", "echo")?.inputs.spec).toEqual({
      endpoints: [{ fqdn: { hostname: "model-echo.model-echo.svc.cluster.local", port: 1234 } }],
    });
    expect(JSON.stringify(ofKind("AIGatewayRoute", "model-echo")?.inputs.spec)).toContain('"modelsOwnedBy":"phantom"');
    const scraped = made.recording.resources.filter(({ inputs }) => JSON.stringify(inputs).includes('"/series"'));
    expect(scraped.map(({ type }) => type)).toEqual([expect.stringMatching(/:PodMonitor$/)]);
    const opened = made.recording.resources
      .filter(({ type, inputs }) => type.endsWith(":NetworkPolicy") && JSON.stringify(inputs).includes("1234"))
      .map(({ inputs }) => (inputs.metadata as { readonly namespace: string }).namespace);
    expect(opened).toEqual(expect.arrayContaining(["model-echo"]));
  });

  it("is watched by the meaning of its series", () => {
    const rules = JSON.stringify(ofKind("PrometheusRule", "inference-platform")?.inputs.spec);
    expect(rules).toContain("phantom_waiting");
    expect(rules).toContain("avg_over_time(phantom_cache[5m])");
  });

  it("is found in JSON and in the reports", () => {
    expect(program.toJson(result).models).toMatchObject([{ name: "echo", engine: "phantom", engineVersion: "1.2.3" }]);
    expect(program.terminalReport(result, { color: false, explain: true, tree: "none" })).toContain("Phantom 1.2.3");
    expect(program.htmlReport(result)).toContain("Phantom");
  });
});
