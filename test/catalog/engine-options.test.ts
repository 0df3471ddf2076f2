import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type EngineOptionCatalogue, ruleFor } from "../../catalog/engine-options";
import { optionFiles, optionsFile, optionsFromParser } from "../../catalog/engine-options/from-parser";
import { engineNames, engineOf, engineOptions, engineVersion } from "../../engines";
import { repositoryRoot } from "../../names/repository-root";

function names({ options }: EngineOptionCatalogue, part: "arguments" | "environment"): string[] {
  return options[part].map(({ name }: { readonly name: string }) => name);
}

it("are of every engine, in a file of its name", () => {
  expect(optionFiles().sort()).toEqual(engineNames.map((name) => `${name}.json`).sort());
  expect(engineNames.map((name) => engineOptions(name).options.engine)).toEqual(engineNames);
});

describe.each(engineNames)("options of %s", (engine) => {
  const catalogue = engineOptions(engine);

  it("are what the record of the engine's own parser says", () => {
    const file = `${engine}.json`;
    expect(readFileSync(join(repositoryRoot(), "catalog/engine-options", file), "utf8")).toBe(optionsFile(file));
  });

  it("are of the version that the platform pins", () => {
    expect(catalogue.options.version).toBe(engineVersion(engine));
  });

  it("have rules for flags that exist, and one each", () => {
    const known = [...names(catalogue, "arguments"), ...(catalogue.releases?.arguments ?? []).map(({ name }) => name)];
    const { former: _, concerns = {}, writesText = {}, ...rules } = catalogue.arguments;
    const ruled = Object.values(rules).flatMap(Object.keys);
    const remarked = new Set(Object.keys(rules.memory));
    expect(Object.values(concerns).flatMap((options) => options.filter((each) => !remarked.has(each)))).toEqual([]);
    const unknown = [...ruled, ...Object.keys(writesText)].filter(
      (rule) => !known.some((name) => name === rule || ruleFor({ [rule]: "" }, name) === ""),
    );
    expect(unknown).toEqual([]);
    expect(ruled.filter((rule, index) => ruled.indexOf(rule) !== index)).toEqual([]);
  });

  it("have rules for variables of the engine that exist, and one each", () => {
    const known = names(catalogue, "environment");
    const { former: _, writesText = {}, ...rules } = catalogue.environment;
    const ruled = Object.values(rules).flatMap(Object.keys);
    const own = [...ruled, ...Object.keys(writesText)].filter((rule) =>
      rule.startsWith(engineOf(engine).variablePrefix),
    );
    expect(own.length).toBeGreaterThan(0);
    const unknown = own.filter((rule) => !known.some((name) => ruleFor({ [rule]: "" }, name) === ""));
    expect(unknown).toEqual([]);
    expect(ruled.filter((rule, index) => ruled.indexOf(rule) !== index)).toEqual([]);
  });

  it("replace former ones by flags that exist", () => {
    const former = [
      ...Object.entries(catalogue.arguments.former ?? {}),
      ...Object.entries(catalogue.environment.former ?? {}),
    ];
    const flags = former.flatMap(([, fix]) => /^write (?:args: \{)?([a-z0-9-]+-[a-z0-9-]+)/.exec(fix)?.[1] ?? []);
    expect(engine !== "vllm" || flags.length > 15).toBe(true);
    expect(engine === "vllm" ? flags.filter((flag) => !catalogue.argumentNamed.has(flag)) : []).toEqual([]);
    const still = Object.keys(catalogue.arguments.former ?? {}).filter((name) => catalogue.argumentNamed.has(name));
    expect(engine === "vllm" ? still : []).toEqual([]);
  });
});

describe("the options of an engine, from its parser", () => {
  it.each([
    [
      { type: "bool-flag", negation: "--no-x" },
      { kind: "switch", negation: "no-x" },
    ],
    [{ type: "int | None" }, { kind: "integer" }],
    [{ type: "int-with-suffix" }, { kind: "integer", suffix: true }],
    [{ type: "float" }, { kind: "number" }],
    [{ type: "dict[str, Any] | None" }, { kind: "json" }],
    [{ type: "'dict[str, Any] | QuantizationConfigArgs | None'" }, { kind: "json" }],
    [{ type: "json-or-string" }, { kind: "json", open: true }],
    [{ type: "list[str]", nargs: "+" }, { kind: "list" }],
    [
      { type: "ModelDType", choices: ["auto", null] },
      { kind: "text", choices: ["auto"] },
    ],
  ])("reads %j", (flag, expected) => {
    const record = { version: "v1.0.0", asOf: "2026-11-21", source: "s", flags: [{ name: "--x", ...flag }], env: [] };
    expect(optionsFromParser("vllm", "record.json", record).arguments).toEqual([{ name: "x", ...expected }]);
  });

  it("knows flags by name alone", () => {
    const { argumentNamed } = engineOptions("vllm");
    expect(argumentNamed.get("enable-auto-tool-choice")).toMatchObject({
      kind: "switch",
      negation: "disable-auto-tool-choice",
    });
    expect(argumentNamed.get("toString")).toBeUndefined();
    expect(ruleFor({ "ssl-*": "TLS" }, "ssl-keyfile")).toBe("TLS");
    expect(ruleFor({ "ssl-*": "TLS" }, "toString")).toBeUndefined();
  });
});
