/** `model: hf://org/name`: what `npm run pin` keeps of a repository, that plans need nothing else, and that nothing half is left. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/pin";
import { readArchitectures } from "../../stacks/architectures";
import { ConfigError, parseEnvironmentFile } from "../../stacks/config";
import { modelSource } from "../../stacks/model-source";
import { configOf, llama8b, llamaTensors } from "../planner/model/checkpoint/checkpoints";
import { fileStart, headerOf, type WrittenTensor } from "../planner/model/checkpoint/safetensors";
import { environmentText } from "../stacks/texts";
import { type FakeHub, fakeHub, type HubFile, type HubRepository } from "./fake-hub";
import { onA10, runPiped, useFolder } from "./run";

const root = useFolder();
const COMMIT = "c".repeat(40);
const REPOSITORY = "acme/zorblax-8b";
const KEPT = `models/hf/${REPOSITORY}@${COMMIT}`;

function weights(tensors: readonly WrittenTensor[]): HubFile {
  const { json, dataBytes } = headerOf(tensors);
  const start = fileStart(json);
  return { start, bytes: start.length + dataBytes };
}

const tensors = llamaTensors(llama8b);
const files = {
  "config.json": JSON.stringify(configOf(llama8b, "zorblax")),
  "model.safetensors": weights(tensors),
};
const repositories = { [REPOSITORY]: { commit: COMMIT, files } };

interface Kept {
  readonly folder: string;
  readonly file: string;
}

function environment(models: object): Kept {
  const folder = mkdtempSync(join(root, "hub-"));
  const file = join(folder, "Pulumi.hub.yaml");
  writeFileSync(file, environmentText(onA10({}, { models })));
  return { folder, file };
}

function pin({ file }: Kept, { url }: Pick<FakeHub, "url">, ...argv: string[]) {
  return runPiped((words, io) => main(words, io, { HF_ENDPOINT: url }), ["--config", file, ...argv]);
}

function parsed({ file }: Kept) {
  const result = parseEnvironmentFile(readFileSync(file, "utf8"));
  return result.ok ? result.environment : expect.fail(JSON.stringify(result.problems));
}

/** Everything below the folder of an environment but its file. */
function leftIn({ folder }: Kept): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".json") || name.endsWith(".gz") || name.includes("unfinished"),
  );
}

const model = `hf://${REPOSITORY}`;
const chat = { chat: { model, concurrency: 1 } };

describe("a repository as the model", () => {
  it("is pinned with its config.json and headers, and planned without the network", async () => {
    const hub = await fakeHub(repositories);
    const kept = environment(chat);
    const { status, out, err } = await pin(kept, hub);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain(`kept ${KEPT}: config.json, headers.json.gz`);
    expect(readFileSync(kept.file, "utf8")).toContain(`model: ${model}@${COMMIT}`);
    const read = parsed(kept);
    const architecture = (await readArchitectures(read, kept.folder)).get("chat");
    expect(architecture).toMatchObject({ family: "zorblax", layers: 32, checkpoint: { from: "headers", files: 1 } });
    const source = { kind: "huggingface", repository: REPOSITORY, revision: COMMIT };
    expect(read.models.chat && modelSource("chat", read.models.chat)).toEqual(source);
    expect(JSON.parse((await pin(kept, hub, "--json")).out)).toMatchObject({ written: false, kept: [] });
  });

  it("takes its weights elsewhere where the file says so, and its canary where that does", async () => {
    const hub = await fakeHub(repositories);
    const kept = environment({
      chat: { model, source: "s3://models/z", concurrency: 1, canary: { source: "s3://models/y" } },
    });
    expect((await pin(kept, hub)).status).toBe(0);
    const read = parsed(kept);
    expect(Object.entries(read.models).map(([name, config]) => modelSource(name, config))).toEqual([
      { kind: "bucket", uri: "s3://models/z" },
      { kind: "bucket", uri: "s3://models/y" },
    ]);
    expect((await readArchitectures(read, kept.folder)).size).toBe(2);
  });

  it("is kept again where the file names the commit and the folder is gone", async () => {
    const kept = environment({ chat: { model: `${model}@${COMMIT}`, concurrency: 1 } });
    const before = readFileSync(kept.file, "utf8");
    const { status, out } = await pin(kept, await fakeHub(repositories));
    expect([status, readFileSync(kept.file, "utf8")]).toEqual([0, before]);
    expect(out).toContain(`kept ${KEPT}`);
    expect(leftIn(kept)).toHaveLength(2);
  });

  it("is counted by its index where the weight files cannot be read alone", async () => {
    const index = {
      metadata: { total_size: 16_000_000_000 },
      weight_map: Object.fromEntries(tensors.map(({ name }) => [name, "model-1.safetensors"])),
    };
    const config = JSON.stringify(configOf(llama8b, "llama"));
    const indexed = { "config.json": config, "model.safetensors.index.json": JSON.stringify(index) };
    const kept = environment(chat);
    await pin(kept, await fakeHub({ [REPOSITORY]: { commit: COMMIT, files: indexed } }));
    const architecture = (await readArchitectures(parsed(kept), kept.folder)).get("chat");
    expect(architecture?.checkpoint).toMatchObject({ from: "index", fileBytes: 16_000_000_000 });
  });

  it("sends the token to the hub, and not to the server that it redirects weights to", async () => {
    const store = await fakeHub(repositories);
    const hub = await fakeHub(repositories, (path, _, response) => {
      const isWeights = path.endsWith(".safetensors");
      if (isWeights) {
        response.writeHead(302, { location: `${store.url}${path}` }).end();
      }
      return isWeights;
    });
    const kept = environment(chat);
    const env = { HF_ENDPOINT: hub.url, HF_TOKEN: "hf_secret" };
    const { status } = await runPiped((words, io) => main(words, io, env), ["--config", kept.file]);
    expect(status).toBe(0);
    expect(new Set(hub.asked.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer hf_secret"]));
    expect(store.asked.length).toBeGreaterThan(0);
    expect(new Set(store.asked.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
  });

  it("is only named by --dry-run", async () => {
    const kept = environment(chat);
    const { out } = await pin(kept, await fakeHub(repositories), "--dry-run");
    expect(out).toContain(`would keep ${KEPT}`);
    expect(leftIn(kept)).toEqual([]);
  });
});

describe("nothing is kept and nothing written when", () => {
  const changed = (changes: Partial<HubRepository>) => ({ [REPOSITORY]: { commit: COMMIT, files, ...changes } });
  const weightFile = files["model.safetensors"];
  const start = typeof weightFile === "string" ? new Uint8Array() : weightFile.start;
  it.each<[string, Readonly<Record<string, HubRepository>>, RegExp]>([
    ["the repository is gated", changed({ status: 403 }), /denies acme\/zorblax-8b.*HF_TOKEN/],
    ["it asks for a login", changed({ status: 401 }), /denies acme\/zorblax-8b/],
    ["it is unknown", {}, /knows no acme\/zorblax-8b/],
    ["it has no config.json", changed({ files: {} }), /has no config\.json/],
    ["config.json is cut off", changed({ files: { ...files, "config.json": '{"model_type": "ll' } }), /is no JSON/],
    [
      "a header is cut off",
      changed({ files: { ...files, "model.safetensors": { start: start.subarray(0, 40), bytes: 10_000_000 } } }),
      /model\.safetensors/,
    ],
    [
      "weight files are of another size than their header says",
      changed({ files: { ...files, "model.safetensors": { start, bytes: start.length + 5 } } }),
      /model\.safetensors/,
    ],
    [
      "an index names a file elsewhere",
      changed({
        files: { ...files, "model.safetensors.index.json": '{"weight_map":{"a":"../../etc/x.safetensors"}}' },
      }),
      /names the file/,
    ],
    [
      "no engine serves it",
      changed({ files: { "config.json": '{"model_type": "whisper"}' } }),
      /whisper|speech recognition/i,
    ],
  ])("%s", async (_, known, says) => {
    const kept = environment(chat);
    const before = readFileSync(kept.file, "utf8");
    const { status, out, err } = await pin(kept, await fakeHub(known));
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(says);
    expect(err).toContain("nothing was written");
    expect(readFileSync(kept.file, "utf8")).toBe(before);
    expect(leftIn(kept)).toEqual([]);
  });

  it("the connection ends in the middle of a file", async () => {
    const hub = await fakeHub(repositories, (path, _, response) => {
      const isConfig = path.endsWith("/config.json");
      if (isConfig) {
        response.writeHead(200, { "content-length": "100000" }).write('{"model_type"');
        setTimeout(() => response.destroy(), 20);
      }
      return isConfig;
    });
    const kept = environment(chat);
    const { status, err } = await pin(kept, hub);
    expect([status, leftIn(kept)]).toEqual([1, []]);
    expect(err).toContain("gives no answer");
  });
});

describe("a plan", () => {
  it("without what is kept names the command, once for each model", async () => {
    const kept = environment({ ...chat, other: { model: `${model}@${COMMIT}`, concurrency: 1 } });
    const error = await readArchitectures(parsed(kept), kept.folder, "hub").catch((reason: unknown) => reason);
    const problems = error instanceof ConfigError ? error.problems : [];
    expect(problems.map(({ path }) => path)).toEqual(["models.chat.model", "models.other.model"]);
    expect(problems[0]?.fix).toContain("npm run pin -- hub");
    expect(problems[0]?.value).toContain(`${model}@main`);
  });

  it("refuses kept files that are damaged", async () => {
    const kept = environment({ chat: { model: `${model}@${COMMIT}`, concurrency: 1 } });
    await pin(kept, await fakeHub(repositories));
    const headers = join(kept.folder, KEPT, "headers.json.gz");
    const whole = readFileSync(headers);
    writeFileSync(headers, whole.subarray(0, whole.length / 2));
    const error = await readArchitectures(parsed(kept), kept.folder).catch((reason: unknown) => reason);
    const [problem] = error instanceof ConfigError ? error.problems : [];
    expect(problem).toMatchObject({
      path: "models.chat.model",
      fix: expect.stringContaining(`remove the folder ${KEPT}`),
    });
  });

  it("does not mind what an interrupted run left, and pin clears it away", async () => {
    const kept = environment(chat);
    const unfinished = join(kept.folder, "models/hf/acme", `.unfinished-zorblax-8b@${COMMIT}-abc`);
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, "config.json"), "{");
    await pin(kept, await fakeHub(repositories));
    expect(existsSync(unfinished)).toBe(false);
    expect(leftIn(kept)).toHaveLength(2);
  });
});

describe("the configuration refuses", () => {
  it.each<[string, object, string]>([
    ["a name that leads elsewhere", { model: "hf://acme/../x" }, "models.chat.model"],
    ["a part of a path", { model: "hf://acme/x@.." }, "models.chat.model"],
    ["control characters", { model: "hf://acme/x\u0007" }, "models.chat.model"],
    ["no organization", { model: "hf://zorblax" }, "models.chat.model"],
    ["a config.json beside it", { model, config: "x/config.json" }, "models.chat"],
    ["an engine that reads no repository, without a source", { model, engine: "ollama" }, "models.chat.source"],
  ])("%s", (_, changes, path) => {
    const text = environmentText(onA10({}, { models: { chat: { concurrency: 1, ...changes } } }));
    const result = parseEnvironmentFile(text);
    expect(result.ok ? [] : result.problems.map((problem) => problem.path)).toEqual([path]);
  });

  it("a repository without the scheme, and names it", () => {
    const result = parseEnvironmentFile(
      environmentText(onA10({}, { models: { chat: { model: "facebook/opt-350m" } } })),
    );
    const [problem] = result.ok ? [] : result.problems;
    expect(problem?.fix).toContain("write model: hf://facebook/opt-350m, then run npm run pin");
  });
});
