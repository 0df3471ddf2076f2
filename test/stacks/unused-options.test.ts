/**
 * Options that no shipped environment uses, put before the policies in production: an option that our own policies refuse
 * must be found here. What is offered comes from the JSON Schema, so that a new switch or choice fails until it is swept.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { groupOf, isBuiltIn } from "../../kubernetes/object";
import { repositoryRoot } from "../../names/repository-root";
import { judge } from "../../report/judge";
import { absentDefaults } from "../harness/crd-defaults";
import { changesOf, SWEEPS, sweptRun } from "./option-sweeps";
import { environments } from "./run";
import { shippedSections } from "./texts";

/** Switches and choices with more values than these are numbers or rows of the catalogue: they make the same resources. */
const MOST_CHOICES = 8;

/** Values that are not swept, by the beginning of their path, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  beta9: "the add-on runs with its own privileges, which production refuses before any policy",
  charts: "the same releases, whose charts the provider finds elsewhere",
  "cluster.provision": "stack and existing make no cluster: the policies see less of the same",
  "cluster.local": "a tool on the user's computer makes no resource of the platform",
  "gateway.wildcardDns": "production refuses it",
  "mesh.mode": "off is the default",
  "mesh.platform": "it is a value of a chart",
  "modelControl.enabled": "off is the default",
  "modelControl.idle": "it is a setting inside a ConfigMap",
  "modelControl.workers": "it is a setting inside a ConfigMap",
  "models.*.canary.image": "the same field as models.*.image, in the same objects",
  "models.*.args": "free text of the user's",
  "models.*.env": "free text of the user's",
  "models.*.engine": "production refuses legacy engines",
  "models.*.scaling": "test/stacks/scaling.test.ts judges each",
  "models.*.serviceLevel": "a number",
  "models.*.ollama.kvCacheDtype": "a value of the same variable",
  "models.*.ray": "the same fields as vLLM's, in the same objects",
  "models.*.triton": "a value of the same command line",
  "models.*.task": "a value of the same command line",
  "models.*.vllm.distributedExecutor": "test/stacks judges replicas over nodes",
  "models.*.vllm.kvCacheDtype": "a value of the same command line",
  "observability.prometheus": "test/stacks/present-prometheus.test.ts judges it",
  "pools.*.confidential": "test/policies and test/refusals judge it by shape",
  "pools.*.localDisks": "the shape decides it",
  "pools.*.node": "a property of nodes that others made",
  "pools.*.numa": "a value of the same kubelet configuration",
  "pools.*.rdma": "oci-h100 is judged with RDMA",
  "storage.backend": "none makes fewer of the same objects, and minio is the default",
  scope: "cluster and platform make parts of the same resources",
};

type Schema = Readonly<Record<string, unknown>>;

/** Every switch and choice of a schema by its path, with the values other than the default. */
function choicesIn(schema: Schema, path: string, found = new Map<string, Set<unknown>>()): Map<string, Set<unknown>> {
  const { anyOf, oneOf, enum: values, const: value, type, properties, additionalProperties, items } = schema;
  for (const part of [anyOf, oneOf].flatMap((parts) => (Array.isArray(parts) ? (parts as Schema[]) : []))) {
    choicesIn(part, path, found);
  }
  const offered =
    type === "boolean" ? [true, false] : Array.isArray(values) ? values : value === undefined ? [] : [value];
  const known = found.get(path) ?? new Set();
  for (const each of offered.filter((choice) => typeof choice !== "number" && choice !== schema.default)) {
    found.set(path, known.add(each));
  }
  for (const [key, below] of Object.entries((properties ?? {}) as Record<string, Schema>)) {
    choicesIn(below, path === "" ? key : `${path}.${key}`, found);
  }
  for (const [below, suffix] of [
    [additionalProperties, ".*"],
    [items, "[]"],
  ] as const) {
    if (typeof below === "object" && below !== null) {
      choicesIn(below as Schema, `${path}${suffix}`, found);
    }
  }
  return found;
}

function offered(): Map<string, Set<unknown>> {
  const text = readFileSync(join(repositoryRoot(), "schemas/environment.schema.json"), "utf8");
  const sections = (JSON.parse(text) as { properties: { config: { properties: Record<string, Schema> } } }).properties
    .config.properties;
  return new Map(
    Object.entries(sections).flatMap(([key, schema]) => [...choicesIn(schema, key.replace("inference-stacks:", ""))]),
  );
}

/** `path value` of each leaf; names that users choose are `*` as well. */
function uses(value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => uses(item, `${path}[]`));
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, below]) =>
      path === "" ? uses(below, key) : [...uses(below, `${path}.${key}`), ...uses(below, `${path}.*`)],
    );
  }
  return [`${path} ${JSON.stringify(value)}`];
}

describe("options that no shipped environment uses", () => {
  it.each(SWEEPS)(
    "pass every policy in production: $what",
    async (sweep) => {
      const run = await sweptRun(sweep);
      const refused = judge(run).violations.filter(
        ({ severity, resource }) => severity === "mandatory" && resource.startsWith("urn:"),
      );
      expect(refused.map(({ policy, message }) => `${policy}: ${message}`)).toEqual([]);
      expect([run.plan.stage, run.plan.unplaced]).toEqual(["production", []]);
      const absent = run.resources
        .map(({ inputs }) => inputs)
        .filter(({ apiVersion, kind }) => kind !== undefined && !isBuiltIn(groupOf(String(apiVersion))))
        .flatMap((object) => absentDefaults(object).map((found) => `${object.kind}: ${found}`));
      expect(absent, "defaults that Argo CD would find changed for ever").toEqual([]);
    },
    60_000,
  );

  it("are all swept, or left out for a reason", () => {
    const used = new Set([
      ...environments.flatMap((name) => uses(shippedSections(name), "")),
      ...SWEEPS.flatMap((sweep) => uses(changesOf(sweep), "")),
    ]);
    const missing = [...offered()]
      .filter(
        ([path, values]) => values.size <= MOST_CHOICES && !Object.keys(LEFT_OUT).some((key) => path.startsWith(key)),
      )
      .filter(([path, values]) => ![...values].some((value) => used.has(`${path} ${JSON.stringify(value)}`)))
      .map(([path]) => path);
    expect(missing).toEqual([]);
  });
});
