import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runEnvironment } from "../../../offline/environment";
import { configSchema } from "../../../services/model-control/src/config";
import { parseEnvironmentFile } from "../../../stacks/config";
import { laptop } from "../../cli/run";
import { specOf } from "../../components/gateway/fixture";
import { Deployment } from "../../harness/deploy";
import { holds, parsePolicy, rulesOf } from "../../harness/network-policies";
import { problemsWith } from "../config/samples";
import { environmentText } from "../texts";

type Settings = Record<string, unknown>;

const tower = { backend: "ollama", url: "http://192.168.1.30:11434", memoryGiB: 24 };
const rack = {
  backend: "vllm",
  url: "https://rack.example.com",
  networks: ["10.2.0.0/29"],
  memoryGiB: 80,
  models: ["mistral"],
};
const shelf = { backend: "triton", url: "http://192.168.1.31:8000", memoryGiB: 24, diskGiB: 100 };
const control = { enabled: true, image: "ghcr.io/acme/inference-model-control:1.0.0" };

const workers = (them: Settings) => problemsWith({ modelControl: { ...control, workers: them } });

describe("engines outside that the model control API drives", () => {
  it.each<[string, Settings, object]>([
    [
      "the pod itself",
      { tower: { ...tower, url: "http://localhost:11434" } },
      { path: "modelControl.workers.tower.url" },
    ],
    [
      "an address with a path",
      { tower: { ...tower, url: "http://192.168.1.30:11434/v1" } },
      { path: "modelControl.workers.tower.url", fix: "write http://192.168.1.30:11434" },
    ],
    [
      "a model's name",
      { chat: tower },
      { path: "modelControl.workers.chat", fix: "rename it, for example to chat-outside" },
    ],
    ["the name of a model's replica", { "small-0": tower }, { path: "modelControl.workers.small-0" }],
    ["that of one of many", { "small-12": tower }, { path: "modelControl.workers.small-12" }],
    [
      "a name that a model answers to",
      { tower: { ...tower, models: ["small"] } },
      { path: "modelControl.workers.tower.models[0]", allowed: expect.stringContaining("models.small does") },
    ],
    [
      "a name that two answer to",
      { tower: { ...tower, models: ["mistral"] }, rack },
      { path: "modelControl.workers.rack.models[0]" },
    ],
    [
      "an engine that is told its models, without them",
      { rack: { ...rack, models: [] } },
      { path: "modelControl.workers.rack.models" },
    ],
  ])("are refused: %s", (_, them, problem) => {
    expect(workers(them)).toMatchObject([problem]);
  });

  it.each(["small-a1", "small-1a", "smaller-0"])("may be called %s, as no replica is", (name) => {
    expect(workers({ [name]: tower }).map(({ path }) => path)).not.toContain(`modelControl.workers.${name}`);
  });

  it("are refused: a name of an adapter", () => {
    const adapters = { contracts: "hf://example/contracts@0123456789abcdef0123456789abcdef01234567" };
    const found = problemsWith({
      models: { chat: { model: "qwen2.5-7b-instruct", adapters } },
      modelControl: { ...control, workers: { tower: { ...tower, models: ["contracts"] } } },
    });
    expect(found).toMatchObject([
      { path: "modelControl.workers.tower.models[0]", allowed: expect.stringContaining("models.chat.adapters does") },
    ]);
  });

  it("need https in production", () => {
    const production = {
      stage: "production",
      gateway: { hostname: "inference.example.com", tls: { kind: "secret", secretName: "gateway" } },
      modelControl: { ...control, workers: { tower } },
    };
    expect(problemsWith(production)).toMatchObject([
      { path: "modelControl.workers.tower.url", allowed: expect.stringContaining("https:// in production") },
    ]);
  });

  it("make the API useful alone: warm models may be fetched to them", () => {
    const models = { chat: { model: "qwen2.5-7b-instruct" } };
    const warm = (them: Settings) =>
      problemsWith({ models, modelControl: { ...control, warmModels: ["llama3.2:1b"], workers: them } });
    expect(warm({})).toMatchObject([{ path: "modelControl.warmModels" }]);
    expect(warm({ tower })).toEqual([]);
  });
});

describe("a platform with engines outside", async () => {
  const text = environmentText({
    ...laptop,
    modelControl: { ...control, workers: { tower: { ...tower, models: ["llama3.2:1b"] }, rack, shelf } },
  });
  const file = parseEnvironmentFile(text);
  const { recording } = await runEnvironment({ name: "test", file, baseDirectory: "." });
  const deployment = new Deployment(recording);

  it("tells the API of them: nothing scales them, nothing is pinned", () => {
    const { data } = deployment
      .ofType("kubernetes:core/v1:ConfigMap")
      .map(({ inputs }) => inputs as { data: Record<string, string> })
      .find(({ data: files }) => files["config.json"]?.includes("tokensFile")) ?? { data: {} };
    const { workers: told } = configSchema.parse(parse(data["config.json"] ?? ""));
    expect(told.filter(({ name }) => name !== "chat")).toEqual([
      { name: "tower", backend: "ollama", url: tower.url, memoryBytes: 24 * 2 ** 30, models: [], pins: [] },
      { name: "rack", backend: "vllm", url: rack.url, memoryBytes: 80 * 2 ** 30, models: ["mistral"], pins: [] },
      {
        name: "shelf",
        backend: "triton",
        url: shelf.url,
        memoryBytes: 24 * 2 ** 30,
        diskBytes: 100 * 2 ** 30,
        models: [],
        pins: [],
      },
    ]);
  });

  it("publishes those that speak OpenAI's API: by their path, and by the names that are told", () => {
    const names = (kind: string) =>
      deployment.ofKind(kind).map(({ inputs }) => (inputs.metadata as { name: string }).name);
    expect(names("HTTPRoute")).toEqual(expect.arrayContaining(["path-tower", "path-rack"]));
    expect(names("HTTPRoute")).not.toContain("path-shelf");
    expect(names("AIGatewayRoute")).toEqual(expect.arrayContaining(["model-tower", "model-rack"]));
    // What they have is decided there, at run time: their path takes every name, another's no more than its own.
    expect(specOf(deployment, "AIGatewayRoute", "model-tower")).toMatchObject({
      rules: [{}, { matches: [{ headers: [{ value: "tower" }, { value: ".+" }] }] }],
    });
  });

  it("lets the API's pods and the proxies out to them, at their port alone", () => {
    const reaching = (address: string, port: number) =>
      deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").flatMap(({ inputs }) => {
        const { metadata, spec } = parsePolicy(inputs);
        const open = rulesOf(spec, "Egress").some(
          ({ peers, ports = [] }) =>
            ports.some((each) => each.port === port) &&
            peers.some(({ ipBlock }) => ipBlock && holds([ipBlock.cidr], address) && !holds(ipBlock.except, address)),
        );
        return open ? [metadata.namespace] : [];
      });
    // Two of the API: its own pods, and the relay's, for models that come at run time.
    expect(reaching("192.168.1.30", 11434).sort()).toEqual(["inference-gateway", "model-control", "model-control"]);
    expect(reaching("192.168.1.31", 8000)).toEqual(["model-control"]);
    expect(reaching("192.168.1.32", 8000)).toEqual([]);
    expect(reaching("192.168.1.30", 22)).toEqual([]);
    expect(reaching("10.2.0.3", 443)).toEqual(expect.arrayContaining(["inference-gateway", "model-control"]));
  });
});
