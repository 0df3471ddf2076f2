/** Common labels, over all environments: on everything, and nowhere else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { isTakenLabel } from "../../names/labels";
import { repositoryRoot } from "../../names/repository-root";
import { runEnvironment } from "../../offline/environment";
import { isInCluster } from "../../render/kubernetes-object";
import { parseEnvironmentFile } from "../../stacks/config";
import type { RecordedResource } from "../harness/deploy";
import { environments, programRun } from "./run";

const KEY = "example.com/cost-center";
const VALUE = "cc-4711";

/** Paths below a value whose last key is the given one. */
function pathsOf(value: unknown, key: string, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, item]) =>
    name === key ? [path.join(".")] : pathsOf(item, key, [...path, name]),
  );
}

/** Paths of pod templates: of whatever has a spec with containers, but for Envoy Gateway's patch of one. */
function templatesOf(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const { spec } = value as { spec?: { containers?: unknown } };
  const inner = Object.entries(value).flatMap(([name, item]) => templatesOf(item, [...path, name]));
  return Array.isArray(spec?.containers) && !path.includes("patch")
    ? [[...path, "metadata.labels"].join("."), ...inner]
    : inner;
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(without);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([name]) => name !== KEY);
  return Object.fromEntries(entries.map(([name, item]) => [name, without(item)]));
}

/** All keys of labels and selectors in a value. */
function labelKeys(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, item]) => {
    const isLabels = ["labels", "matchLabels", "selector"].includes(name) && Object.values(Object(item)).every(isText);
    return isLabels ? Object.keys(Object(item)) : labelKeys(item);
  });
}

const isText = (item: unknown) => typeof item === "string";

describe.each(environments)("common labels of %s", (name) => {
  it("are on every object and pod template, and change nothing else", async () => {
    const base = (await programRun(name)).resources;
    const file = parse(readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8"));
    file.config["inference-stacks:commonLabels"] = { [KEY]: VALUE };
    const environment = { name, file: parseEnvironmentFile(stringify(file)), baseDirectory: repositoryRoot() };
    const { resources } = (await runEnvironment(environment)).recording;
    const objects = resources.filter((resource) => isInCluster(resource) && resource.type !== HELM_RELEASE);
    expect(objects.length).toBeGreaterThan(100);
    for (const { urn, inputs } of objects) {
      const infrastructure = inputs.kind === "Gateway" ? ["spec.infrastructure.labels"] : [];
      const wanted = ["metadata.labels", ...infrastructure, ...templatesOf(without(inputs))];
      expect({ urn, paths: pathsOf(inputs, KEY).toSorted() }).toEqual({ urn, paths: wanted.toSorted() });
    }
    const plain = (all: readonly RecordedResource[]) =>
      all.map(({ urn, inputs }) => ({ urn, inputs: withoutEmpty(inputs) }));
    expect(plain(resources.map((each) => ({ ...each, inputs: without(each.inputs) as object as never })))).toEqual(
      plain(base),
    );
  });

  it("cannot be labels that something selects by, or that objects have", async () => {
    const objects = (await programRun(name)).resources.filter(
      (resource) =>
        isInCluster(resource) && resource.type !== HELM_RELEASE && resource.inputs.kind !== "PrometheusRule",
    );
    const keys = new Set(objects.flatMap(({ inputs }) => labelKeys(inputs)));
    expect(keys.size).toBeGreaterThan(5);
    expect([...keys].filter((key) => !isTakenLabel(key))).toEqual([]);
  });
});

/** Without the empty mapping of labels that only the common one was in. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutEmpty);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([name, item]) => name !== "labels" || Object.keys(Object(item)).length);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutEmpty(item)]));
}
