import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import { environmentFileSchema, SCHEMA_FILE, schemaText } from "../../../stacks/config/json-schema";
import { environmentText, rightEnvironment } from "./samples";

// Formats are zod's business; strict mode refuses keywords that are not JSON Schema.
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false }).compile(
  environmentFileSchema(),
);

describe("the JSON Schema for editors", () => {
  it("is current: else run npm run schema", () => {
    expect(readFileSync(join(repositoryRoot(), SCHEMA_FILE), "utf8")).toBe(schemaText());
  });

  const files = readdirSync(repositoryRoot()).filter((file) => /^Pulumi\..+\.yaml$/.test(file));
  it.each(files)("accepts %s, which refers to it", (file) => {
    const text = readFileSync(join(repositoryRoot(), file), "utf8");
    expect(text.split("\n")[0]).toBe(`# yaml-language-server: $schema=./${SCHEMA_FILE}`);
    validate(parse(text));
    expect(validate.errors ?? []).toEqual([]);
  });

  it("accepts a model by its Hugging Face repository", () => {
    validate(parse(environmentText({ ...rightEnvironment, models: { chat: { model: "Qwen/Qwen3-8B" } } })));
    expect(validate.errors ?? []).toEqual([]);
  });

  it("accepts other namespaces, encrypted secrets and what Pulumi writes", () => {
    const file = parse(environmentText({ ...rightEnvironment, huggingFaceToken: { secure: "v1:abc" } }));
    expect(
      validate({ ...file, encryptionsalt: "v1:abc", config: { ...file.config, "oci:region": "eu-frankfurt-1" } }),
    ).toBe(true);
  });

  it.each([
    ["an unknown section", { gatway: {} }],
    ["an unknown field", { models: { chat: { modle: "qwen3-8b" } } }],
    ["a plain secret", { huggingFaceToken: "hf_abc" }],
    ["both shape and node", { pools: { a: { shape: "VM.GPU.A10.1", node: { vcpus: 1, memoryGiB: 1 } } } }],
    ["a key of another kind of cluster", { cluster: { kind: "aws", gpuDevices: { groups: [992] } } }],
    ["a cluster of no kind", { cluster: { storageClass: "gp3" } }],
    ["acme without email", { gateway: { hostname: "a.example.com", tls: { kind: "acme" } } }],
    ["an unknown model", { models: { chat: { model: "Qwen/Qwen9" } } }],
    ["an unknown shape", { pools: { a: { shape: "VM.GPU.A10.3" } } }],
  ])("refuses %s", (_, changes) => {
    expect(validate(parse(environmentText({ ...rightEnvironment, ...changes })))).toBe(false);
  });

  // What editors go by: yaml-language-server takes the member whose tag is a constant equal to the written one, and then
  // completes its keys alone, and names a wrong one (tried with 1.18.0, 2026-11-22).
  it.each([
    ["cluster", "kind", ["local", "oci", "aws", "edge"]],
    ["gateway.tls", "kind", ["self-signed", "acme", "secret", "issuer"]],
  ])("has %s as closed mappings, told apart by a constant %s, each explained", (path, tag, names) => {
    const members = membersAt(path.split("."));
    expect(members.map(({ properties }) => properties[tag]?.const)).toEqual(names);
    for (const { description, required, additionalProperties } of members) {
      expect(description).toMatch(/\S/);
      expect(required).toContain(tag);
      expect(additionalProperties).toBe(false);
    }
  });

  it("explains every field: description, and the unit of numbers", () => {
    const fields = numbersIn(environmentFileSchema());
    expect(fields.length).toBeGreaterThan(20);
    const unexplained = fields.filter(({ schema }) => !/\S/.test(String(schema.description ?? "")));
    expect(unexplained.map(({ path }) => path)).toEqual([]);
    const withoutUnit = fields.filter(({ schema }) => !/Unit: /.test(String(schema.description)));
    // Shares and ports have none.
    expect([...new Set(withoutUnit.map(({ path }) => path.split(".").pop()))]).toEqual([
      "gpuMemoryUtilization",
      "port",
    ]);
  });
});

interface Member {
  readonly description?: string;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly properties: Readonly<Record<string, { readonly const?: string }>>;
}

function membersAt([section, ...path]: readonly string[]): readonly Member[] {
  const steps = ["properties", "config", "properties", `inference-stacks:${section}`];
  const field = [...steps, ...path.flatMap((key) => ["properties", key])].reduce<unknown>(
    (value, key) => (value as Record<string, unknown>)[key],
    environmentFileSchema(),
  );
  return (field as { oneOf: readonly Member[] }).oneOf;
}

function numbersIn(schema: unknown, path = ""): { path: string; schema: Record<string, unknown> }[] {
  if (typeof schema !== "object" || schema === null) {
    return [];
  }
  const record = schema as Record<string, unknown>;
  const below = Object.entries(record).flatMap(([key, child]) => numbersIn(child, `${path}.${key}`));
  return record.type === "integer" || record.type === "number" ? [{ path, schema: record }, ...below] : below;
}
