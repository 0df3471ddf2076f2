import { randomBytes } from "node:crypto";

export const shard = (n: number) => `model-0000${n}-of-00002.safetensors`;
export const index = (...shards: string[]) =>
  Buffer.from(JSON.stringify({ weight_map: Object.fromEntries(shards.map((s, i) => [`layer.${i}`, s])) }));

/** A small sharded repository with what surrounds weights in practice. */
export const REPOSITORY: Readonly<Record<string, Buffer>> = {
  "config.json": Buffer.from('{"model_type":"llama"}'),
  "tokenizer.json": Buffer.from("{}"),
  "LICENSE.txt": Buffer.from("terms"),
  "README.md": Buffer.from("# read me"),
  "modeling_custom.py": Buffer.from("import os"),
  "original/consolidated.00.pth": randomBytes(5000),
  "pytorch_model.bin": randomBytes(5000),
  "model.safetensors.index.json": index(shard(1), shard(2)),
  [shard(1)]: randomBytes(3000),
  [shard(2)]: randomBytes(4000),
};
/** What an engine needs of it. */
export const COPIED = [
  "LICENSE.txt",
  "config.json",
  shard(1),
  shard(2),
  "model.safetensors.index.json",
  "tokenizer.json",
];
