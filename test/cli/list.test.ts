import { describe, expect, it } from "vitest";
import { findModel, modelNames } from "../../catalog/models";
import { cards, findShape, shapes } from "../../catalog/shapes";
import { main } from "../../cli/list";
import { LIST_CARDS, LIST_ENGINES, LIST_MODELS, LIST_SHAPES } from "../../stacks/config/list-commands";
import { runPiped } from "./run";

const list = (...argv: string[]) => runPiped(main, argv);

async function rows(...argv: string[]): Promise<Readonly<Record<string, unknown>>[]> {
  const { status, out, err } = await list(...argv, "--json");
  expect([status, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

describe("npm run list", () => {
  it("has every machine shape of the catalogue with its price", async () => {
    const found = await rows("shapes");
    expect(found.map(({ name }) => name)).toEqual(shapes.map(({ name }) => name));
    expect(found.find(({ name }) => name === "p5.48xlarge")).toMatchObject({
      provider: "aws",
      gpus: 8,
      gpu: "NVIDIA H100 80GB SXM",
      rdma: "efa",
      price: findShape("p5.48xlarge")?.price,
    });
  });

  it("has every model with what it needs to be named, fetched and served", async () => {
    const found = await rows("models");
    expect(found.map(({ name }) => name)).toEqual(modelNames());
    expect(found.find(({ name }) => name === "llama-3.2-3b-instruct")).toMatchObject({
      repository: "meta-llama/Llama-3.2-3B-Instruct",
      gated: true,
      format: "bfloat16",
      parametersB: expect.closeTo(3.21, 2),
      builds: { ollama: findModel("llama-3.2-3b-instruct")?.builds?.ollama?.map(({ tag }) => tag) },
    });
  });

  it("has every card and engine", async () => {
    expect((await rows("cards")).map(({ name }) => name)).toEqual(cards.map(({ name }) => name));
    expect(await rows("cards", "rx-6700-xt")).toMatchObject([
      { compiledFor: "gfx1031", rocm: "unlisted", hsaOverride: "10.3.0", engines: ["ollama"] },
    ]);
    expect((await list("cards", "mi50-32gb")).out).toMatch(/gfx906 +no +no +none/);
    expect(await rows("engines")).toMatchObject([
      { name: "vllm", quantizations: expect.arrayContaining(["fp8"]) },
      { name: "ollama", quantizations: expect.arrayContaining(["Q4_K_M"]) },
      { name: "triton", version: expect.stringMatching(/^\d\d\.\d\d$/) },
      { name: "ray", version: expect.stringMatching(/^2\.\d+\.\d+$/) },
      { name: "tgi", quantizations: [], legacy: expect.stringContaining("it is not maintained") },
    ]);
  });

  it("keeps the rows that have all words, in any column", async () => {
    expect((await rows("shapes", "oci", "H100")).map(({ name }) => name)).toEqual(["BM.GPU.H100.8"]);
    expect(await rows("models", "rerank")).toHaveLength(1);
    expect(await list("shapes", "zorg")).toEqual({ status: 1, out: "", err: "none of the shapes has zorg\n" });
  });

  it("has every container image of an environment, and who uses it", async () => {
    const found = await rows("images", "dev");
    const names = found.map(({ name }) => name);
    for (const image of ["ollama/ollama:", "envoyproxy/ai-gateway-extproc:v1.0.0", "prometheus/prometheus:v3."]) {
      expect(names.filter((name) => String(name).includes(image))).toHaveLength(1);
    }
    expect(new Set(names).size).toBe(names.length);
    const { out } = await list("images", "dev", "grafana");
    expect(out).toMatch(/^docker\.io\/grafana\/grafana:[\d.]+ +platform-observability-/m);
    expect(await list("images")).toMatchObject({ status: 2, err: expect.stringContaining("name one environment") });
    expect(await list("images", "zorg")).toMatchObject({ status: 2, err: expect.stringContaining("no environment") });
  });

  it("prints tables for people: prices, refusals, tokens", async () => {
    const { out } = await list("shapes");
    expect(out).toMatch(/^BM\.GPU\.H100\.8 +8 × NVIDIA H100 80GB SXM .* 80\.00 +ROCE$/m);
    expect(out).toMatch(/^VM\.Standard\.A1\.Flex +– .*\/OCPU \+ .*\/GiB$/m);
    for (const { name } of shapes.filter(({ denied }) => denied)) {
      expect(out).toMatch(new RegExp(`^${name.replaceAll(".", "\\.")} .*refused: `, "m"));
    }
    expect((await list("models", "medgemma")).out).toMatch(/^medgemma-27b-it .* yes +google\/medgemma-27b-it$/m);
  });

  it.each([
    [[], "name a list: models, shapes, cards, engines"],
    [["shape"], 'there is no list "shape"; did you mean "shapes"?'],
    [["gpus"], 'did you mean "cards"?'],
    [["models", "--no-such"], "--no-such"],
  ])("refuses %j with status 2 and its usage", async (argv, says) => {
    const { status, out, err } = await list(...argv);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).toContain("Usage: npm run list --");
  });

  it.each([LIST_MODELS, LIST_SHAPES, LIST_CARDS, LIST_ENGINES])("answers %s, which messages name", async (command) => {
    expect((await list(...command.replace("npm run list -- ", "").split(" "))).status).toBe(0);
  });
});
