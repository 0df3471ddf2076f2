import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../cli/model";
import { configOf, llama8b, llamaTensors, writeWeights } from "../planner/model/checkpoint/checkpoints";
import { fileStart, headerOf, type WrittenTensor } from "../planner/model/checkpoint/safetensors";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "checkpoint-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(argv: readonly string[], env = {}): Promise<{ code: number; out: string; err: string }> {
  const written = { out: "", err: "" };
  const io = {
    out: (text: string) => {
      written.out += text;
    },
    err: (text: string) => {
      written.err += text;
    },
  };
  return { code: await main([...argv], io, env), ...written };
}

async function json(model = folder): Promise<Record<string, unknown>> {
  const { out, err } = await run([model, "--json", "--gpu", "h100-sxm-80gb", "--gpu-memory-gib", "79.19"]);
  expect(err).toBe("");
  return JSON.parse(out) as Record<string, unknown>;
}

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, name), content);
}

function writeConfig(modelType: string, more: Record<string, unknown> = {}): void {
  write("config.json", JSON.stringify({ ...configOf(llama8b, modelType), ...more }));
}

/** The tensors over two files, and their index. */
function writeShards(tensors: readonly WrittenTensor[], totalBytes = 16_060_522_496): void {
  const files = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
  const [first = "", second = ""] = files;
  const fileOf = (at: number): string => (at % 2 === 0 ? first : second);
  for (const file of files) {
    writeWeights(
      join(folder, file),
      tensors.filter((_, at) => fileOf(at) === file),
    );
  }
  const weight_map = Object.fromEntries(tensors.map(({ name }, at) => [name, fileOf(at)]));
  write("model.safetensors.index.json", JSON.stringify({ metadata: { total_size: totalBytes }, weight_map }));
}

describe("npm run model with weights beside config.json", () => {
  it("gives exact weights of a model type that nobody knows, and marks the cache as derived", async () => {
    writeConfig("zorblax");
    writeShards(llamaTensors(llama8b));
    expect(await json()).toMatchObject({
      family: "zorblax",
      totalParametersB: 8.030261248,
      weightsFrom: "headers",
      files: { readFrom: "headers", count: 2, tensorBytesByType: { BF16: 16_060_522_496 } },
      kvCacheBytesPerToken: 131_072,
      fits: true,
      notes: expect.arrayContaining([expect.stringMatching(/no reader .* zorblax/)]),
    });
    const { out } = await run([folder]);
    expect(out).toMatch(/exact, counted from the headers of 2 file\(s\): 16\.06 GB BF16/);
    expect(out).toMatch(/derived from config\.json and the shapes of keys and values in the files/);
  });

  it("says that a cache is not known, and gives no figure that rests on it", async () => {
    writeConfig("zorblax");
    writeWeights(join(folder, "model.safetensors"), [
      ...llamaTensors(llama8b),
      { name: "model.layers.0.self_attn.A_log", dtype: "F32", shape: [32] },
    ]);
    const { code, out } = await run([folder, "--gpu", "h100-sxm-80gb", "--gpu-memory-gib", "79.19"]);
    expect(code).toBe(1);
    expect(out).toContain("KV cache        not known: model.layers.0.self_attn.A_log ");
    expect(out).toMatch(
      /verdict +not known: the weights are exact, the cache of model type zorblax is not known: .* are left for it/,
    );
    expect(out).not.toMatch(/fits:|engine reports|own cards/);
    const figures = await json();
    expect(figures).toMatchObject({
      fits: null,
      kvCacheBytesPerToken: null,
      kvTokens: null,
      perGpu: { neededKvCacheGiB: null, neededTotalGiB: null },
    });
    expect((figures.perGpu as Record<string, number>).weightsGiB).toBeCloseTo(14.96, 2);
  });

  it("takes an index alone for what it says", async () => {
    writeConfig("zorblax");
    writeShards(llamaTensors(llama8b));
    rmSync(join(folder, "model-00002-of-00002.safetensors"));
    expect(await json()).toMatchObject({
      weightsFrom: "index",
      weightsGB: 16.060522496,
      fits: null,
      unknown: expect.stringMatching(
        /^the size of all weights is exact, .* the shapes of its keys and values are not at hand$/,
      ),
    });
    // what Git LFS leaves is no file
    for (const part of [1, 2]) {
      write(`model-0000${part}-of-00002.safetensors`, "version https://git-lfs.github.com/spec/v1\n");
    }
    expect((await run([folder])).out).toMatch(/exact in all by the index of 2 file\(s\).* its parts are estimates/);
  });

  it("warns where the files are not those of config.json", async () => {
    writeConfig("llama");
    writeShards(llamaTensors({ ...llama8b, layers: 31 }));
    expect(await json()).toMatchObject({
      weightsFrom: "config.json",
      notes: expect.arrayContaining([expect.stringMatching(/^the files hold 15\.624 GB .* 16\.061 GB/)]),
    });
  });

  it("leaves Mistral's second copy of the weights out", async () => {
    writeConfig("zorblax");
    writeWeights(join(folder, "weights-a.safetensors"), llamaTensors(llama8b));
    writeWeights(join(folder, "consolidated.safetensors"), [
      { name: "tok_embeddings.weight", dtype: "BF16", shape: [128256, 4096] },
    ]);
    expect(await json()).toMatchObject({ totalParametersB: 8.030261248, files: { count: 1 } });
  });

  const one = '{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}';
  const index = (weightMap: unknown): string => JSON.stringify({ weight_map: weightMap });
  it.each<[string, string, string | Uint8Array, RegExp]>([
    [
      "10 GiB of header",
      "model.safetensors",
      fileStart(one, 10n * 2n ** 30n),
      /^model\.safetensors is no safetensors file: .* 10737418240 bytes/,
    ],
    [
      "values that overlap",
      "model.safetensors",
      Buffer.concat([
        fileStart(one.replace("}}", '},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}')),
        Buffer.alloc(3),
      ]),
      /^model\.safetensors places tensor "b" at bytes 1 to 3, .* byte 2 /,
    ],
    [
      "10 GiB of values",
      "model.safetensors",
      fileStart(one.replace("[2]", "[10737418240]").replace("0,2", "0,10737418240")),
      /"a" at bytes 0 to 10737418240, .* 0 bytes/,
    ],
    [
      "an index that leads elsewhere",
      "model.safetensors.index.json",
      index({ a: "../../etc/passwd.safetensors" }),
      /names the file "\.\.\/\.\.\/etc\/passwd\.safetensors"/,
    ],
    [
      "an index with a name twice",
      "model.safetensors.index.json",
      '{"weight_map":{"a":"x.safetensors","a":"y.safetensors"}}',
      /has the key "a" twice/,
    ],
    ["an index of nothing", "model.safetensors.index.json", "{}", /has no weight_map that names a tensor/],
    [
      "an index that nests",
      "model.safetensors.index.json",
      `{"metadata":{"a":${"[".repeat(1e5)}`,
      /nested deeper than 16 levels/,
    ],
    ["an index of another type", "model.safetensors.index.json", index(["x.safetensors"]), /\{ is missing/],
  ])("refuses %s at once, in one line", async (_, name, content, reason) => {
    writeConfig("zorblax");
    write(name, content);
    const { code, out, err } = await run([folder]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(reason);
    expect(err.trimEnd()).not.toContain("\n");
  });

  it("refuses an index that tells of other tensors than the files", async () => {
    writeConfig("zorblax");
    writeWeights(join(folder, "x.safetensors"), [{ name: "a", dtype: "U8", shape: [2] }]);
    write("model.safetensors.index.json", index({ a: "x.safetensors", b: "x.safetensors" }));
    expect((await run([folder])).err).toBe(
      'x.safetensors has no tensor "b", which model.safetensors.index.json says it has\n',
    );
    rmSync(join(folder, "model.safetensors.index.json"));
    writeWeights(join(folder, "y.safetensors"), [{ name: "a", dtype: "U8", shape: [2] }]);
    expect((await run([folder])).err).toBe('y.safetensors has tensor "a", which x.safetensors has too\n');
  });
});

describe("npm run model with an address", () => {
  let server: Server;
  let asked: { url: string; range?: string; authorization?: string }[];
  let ranges: boolean;
  const commit = "c".repeat(40);
  const start = fileStart(headerOf(llamaTensors(llama8b)).json);
  const bytes = start.length + headerOf(llamaTensors(llama8b)).dataBytes;
  let endpoint: string;

  beforeEach(async () => {
    asked = [];
    ranges = true;
    server = createServer(({ url = "", headers: { range, authorization } }, response) => {
      asked.push({ url, range, authorization });
      const [, from = "0", to = "0"] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
      if (url.startsWith("/api/")) {
        return response.end(JSON.stringify({ sha: commit }));
      }
      if (url.endsWith("/config.json")) {
        return response.end(JSON.stringify(configOf(llama8b, "zorblax")));
      }
      if (!url.endsWith("/model.safetensors")) {
        return response.writeHead(404).end();
      }
      if (!ranges) {
        return response.end(Buffer.alloc(1e6));
      }
      response.writeHead(206, { "content-range": `bytes ${from}-${to}/${bytes}` });
      return response.end(start.subarray(Number(from), Number(to) + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it("asks the hub for headers at one commit, and never for weights", async () => {
    const { code, out } = await run(["hf://acme/zorblax-8b"], { HF_ENDPOINT: endpoint, HF_TOKEN: "hf_secret" });
    expect(code).toBe(0);
    expect(out).toContain(`hf://acme/zorblax-8b@${commit}: zorblax decoder, 32 layers`);
    expect(out).toContain("8.030 billion in all");
    expect(asked.map(({ url, range }) => [url.replace(`/acme/zorblax-8b/resolve/${commit}`, ""), range])).toEqual([
      ["/api/models/acme/zorblax-8b/revision/main", undefined],
      ["/config.json", undefined],
      ["/hf_quant_config.json", undefined],
      ["/model.safetensors.index.json", undefined],
      ["/model.safetensors", "bytes=0-7"],
      ["/model.safetensors", `bytes=8-${start.length - 1}`],
    ]);
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer hf_secret"]));
  });

  it("asks a bucket, with the settings that AWS tools read", async () => {
    const { code, out } = await run(["s3://weights/zorblax"], { AWS_ENDPOINT_URL: endpoint });
    expect(code).toBe(0);
    expect(out).toMatch(/^s3:\/\/weights\/zorblax\/: zorblax decoder/);
    expect(asked.at(-1)).toMatchObject({
      url: "/weights/zorblax/model.safetensors",
      range: `bytes=8-${start.length - 1}`,
    });
  });

  it("takes no whole file from a server that sends no parts", async () => {
    ranges = false;
    const { code, err } = await run(["s3://weights/zorblax"], { AWS_ENDPOINT_URL: endpoint });
    expect(code).toBe(2);
    expect(err).toBe(
      "model.safetensors cannot be read: the server sends no part of a file; download the folder and give its path\n",
    );
  });

  it.each([
    ["hf://acme", /names no repository: write hf:\/\/organization\/name/],
    ["s3://weights/nothing/else/", /has no config\.json|cannot be read/],
    ["acme/zorblax-8b", /; hf:\/\/acme\/zorblax-8b asks the hub/],
  ])("says what is wrong with %s", async (model, reason) => {
    const { code, err } = await run([model], { AWS_ENDPOINT_URL: "http://127.0.0.1:1" });
    expect(code).toBe(2);
    expect(err).toMatch(reason);
  });
});
