import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filesToCopy, isSafePath, shardsOf, weightForm } from "../../../components/storage/scripts/model-files.ts";
import { COPIED, REPOSITORY, shard } from "./repository";

describe("weightForm and filesToCopy", () => {
  it("prefers safetensors, leaves out the same weights in other forms and code", () => {
    const paths = Object.keys(REPOSITORY);
    const form = weightForm(paths);
    expect(form).toEqual({ index: "model.safetensors.index.json", files: [], safetensors: true });
    const shards = shardsOf("index", String(REPOSITORY["model.safetensors.index.json"]));
    expect(filesToCopy(paths, form, shards)).toEqual(COPIED);
  });

  it("falls back to PyTorch files, and keeps modules of sentence-transformers", () => {
    const paths = [
      "config.json",
      "pytorch_model.bin",
      "1_Pooling/config.json",
      "2_Dense/model.safetensors",
      "onnx/model.onnx",
    ];
    const form = weightForm(paths);
    expect(form).toEqual({ index: undefined, files: ["pytorch_model.bin"], safetensors: false });
    expect(filesToCopy(paths, form, form.files)).toEqual([
      "1_Pooling/config.json",
      "2_Dense/model.safetensors",
      "config.json",
      "pytorch_model.bin",
    ]);
  });

  it.each([
    ["safetensors", ["a.safetensors", "b.safetensors"], ["sub/c.safetensors", "d.safetensors.bak"]],
    [
      "PyTorch files",
      ["pytorch_model-1.bin", "pytorch_model_2.bin"],
      [
        "sub/pytorch_model-3.bin",
        "old_pytorch_model.bin",
        "pytorch_model-4.bin.md5",
        "pytorch_model/5.bin",
        "pytorch_model-6xbin",
      ],
    ],
  ])("takes loose %s where there is no index: of the top folder, by their whole names", (_, loose, others) => {
    expect(weightForm([...others, ...loose]).files).toEqual(loose);
  });

  it("copies what belongs to the weights, and skips what only resembles it", () => {
    const weights = ["model.safetensors"];
    const copied = [
      "1_Pooling/config.json",
      "2_Dense/pytorch_model.bin",
      "LICENSE",
      "NOTICE.md",
      "docs/USE_POLICY.txt",
    ];
    const tokenizer = ["chat_template.jinja", "spiece.model", "tokenizer.tiktoken", "sub/onnx/vocab.txt"];
    const skipped = ["a.json.lock", "MY_LICENSE", "onnx/config.json", "gguf/LICENSE", "sub/1_Dense/model.bin"];
    const notWeights = ["2_Dense/model.bin.md5", "2_/model.bin", "2_Dense/sub/model.bin", "Dense/model.bin"];
    const paths = [...weights, ...copied, ...tokenizer, ...skipped, ...notWeights];
    expect(filesToCopy(paths, weightForm(paths), weights)).toEqual([...weights, ...copied, ...tokenizer].sort());
  });

  it("copies code beside the weights where it is wanted: the modules of the repository's own folder", () => {
    const paths = [...Object.keys(REPOSITORY), "inference/generate.py", "original/llama.py"];
    const form = weightForm(paths);
    const shards = shardsOf("index", String(REPOSITORY["model.safetensors.index.json"]));
    expect(filesToCopy(paths, form, shards, true)).toEqual([...COPIED, "modeling_custom.py"].sort());
  });

  it("refuses to copy code from a repository that has none", () => {
    const paths = ["model.safetensors", "sub/model.py"];
    expect(() => filesToCopy(paths, weightForm(paths), ["model.safetensors"], true)).toThrow("trust-remote-code");
  });

  it("names each shard that the repository lacks", () => {
    const form = weightForm(["model.safetensors.index.json", shard(1)]);
    expect(() => filesToCopy([shard(1)], form, [shard(1), shard(2)])).toThrow(
      "model.safetensors.index.json names files that the repository lacks: model-00002-of-00002.safetensors",
    );
  });

  it.each(["../victim/config.json", "a/../../b.json", "/etc/config.json", "a//b.json", "./a.json", "%2e%2e/a.json"])(
    "refuses a repository that lists %s",
    (path) => {
      const paths = ["model.safetensors", path];
      expect(() => filesToCopy(paths, weightForm(paths), ["model.safetensors"])).toThrow(
        `the repository names files outside of itself: "${path}"`,
      );
    },
  );

  it("takes every path that stays where it is put, and no other", () => {
    const part = fc.constantFrom("a", "..", ".", "", "b.json", "c d", "%2e", "..a", "\\", "\n");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const path = parts.join("/");
        const url = new URL(`http://store/bucket/prefix/${path}`);
        const stays =
          join("/prefix", path) === `/prefix/${path}` && decodeURI(url.pathname).endsWith(`/prefix/${path}`);
        // Whatever a file system or a URL would change is refused; what is taken stays as it is.
        if (isSafePath(path)) {
          expect([path, stays]).toEqual([path, true]);
        }
      }),
    );
    expect(["model.safetensors", "1_Pooling/config.json", "..a/b", "c d.txt"].filter(isSafePath)).toHaveLength(4);
  });

  it("leaves out what is called like the store's own records", () => {
    const paths = [".manifest.json", ".sync.json", "model.safetensors"];
    expect(filesToCopy(paths, weightForm(paths), ["model.safetensors"])).toEqual(["model.safetensors"]);
  });

  it("refuses a repository without weights that an engine loads", () => {
    expect(() => weightForm(["model.gguf", "config.json"])).toThrow(
      /no safetensors or PyTorch weights, only: model\.gguf/,
    );
    expect(() => shardsOf("i.json", "{}")).toThrow('i.json has no "weight_map"');
  });

  it("copies every weight exactly once, whatever else there is", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}\.(json|txt|py|bin|md)$/), { maxLength: 12 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 5 }), (others, count) => {
        const weights = Array.from({ length: count }, (_, i) => `model-${i}.safetensors`);
        const copied = filesToCopy([...others, ...weights], weightForm([...others, ...weights]), weights);
        expect(copied.filter((path) => path.endsWith(".safetensors"))).toEqual([...weights].sort());
        expect(new Set(copied).size).toBe(copied.length);
      }),
    );
  });
});
