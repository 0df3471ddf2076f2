/** docs/configuration.md tells every key, and its examples plan. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { findModel } from "../../../catalog/models";
import { repositoryRoot } from "../../../names/repository-root";
import { parseEnvironmentFile } from "../../../stacks/config";
import { configurationPage, PAGE_FILE } from "../../../stacks/config/configuration-page";
import { fieldAt, inputSchema, keysOf } from "../../../stacks/config/field-text";
import { onA10, planOf, useFolder } from "../../cli/run";
import { environmentText, rightEnvironment } from "./samples";

const page = readFileSync(join(repositoryRoot(), PAGE_FILE), "utf8");

it("is current: else run npm run schema", () => {
  expect(page).toBe(configurationPage());
});

it.each([
  "stage",
  "cluster.gpuDevices.groups",
  "pools.<name>.node.card",
  "models.<name>.config",
  "models.<name>.replicas.max",
  "gateway.tls.email",
  "gateway.serviceAnnotations.<name>",
  "budget.monthlyUsd",
  "huggingFaceToken",
  "beta9.s3.endpoint",
])("has a row for %s with what it decides and what is allowed", (key) => {
  const row = page.split("\n").find((line) => line.startsWith(`| \`${key}\` |`));
  const [, , description = "", allowed = ""] = row?.split(/(?<!\\)\|/) ?? [];
  expect(allowed.trim()).not.toBe("");
  expect(description.trim()).not.toBe("");
});

it("says what follows from service levels, and where nothing does", () => {
  expect(page).toContain("Where the speed of a model is unknown");
  expect(page).toContain("serviceLevel: { availability: 0.999, ttftMs: 2000, tpotMs: 50, percentile: 99 }");
});

it("has a chapter for every section", () => {
  for (const key of keysOf(inputSchema())) {
    expect(page).toContain(fieldAt([key])?.description);
  }
});

describe("its examples", () => {
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const folder = useFolder();
  const section = (text: string) =>
    Object.fromEntries(
      Object.entries(parse(text) as Record<string, unknown>).map(([key, value]) => [key.replace(/^[^:]+:/, ""), value]),
    );

  it.each(blocks)("are right: %#", (text) => {
    const parsed = parseEnvironmentFile(environmentText({ ...rightEnvironment, ...section(text) }));
    // What other sections would have to say for it is another matter: the pools of beta9, the image's registry, the consumer and the authority of openWebUi.
    const own = parsed.ok
      ? []
      : parsed.problems.filter(({ path }) => path.split(".")[0] === Object.keys(section(text))[0]);
    const structural = own.filter(
      ({ allowed }) =>
        !/a name under (pools|models)|a pool|an encrypted value|a consumer of gateway|the authority of gateway/.test(
          allowed,
        ),
    );
    expect(structural).toEqual([]);
  });

  it("of models plan, with the config.json where they say it is", async () => {
    const models = blocks.filter((text) => text.startsWith("inference-stacks:models:") && /BAAI|config:/.test(text));
    expect(models).toHaveLength(2);
    mkdirSync(join(folder, "models", "my-model"), { recursive: true });
    const { configPath = "" } = findModel("qwen2.5-7b-instruct") ?? {};
    copyFileSync(configPath, join(folder, "models", "my-model", "config.json"));
    for (const text of models) {
      const { status, err } = await planOf(folder, onA10({}, section(text)));
      expect([status, err]).toEqual([0, ""]);
    }
  });
});
