import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import clusterScoped from "../../policies/data/cluster-scoped-kinds.json";
import encryption from "../../policies/data/encryption.json";
import stateful from "../../policies/data/stateful-types.json";

/** SDK file of a cloud's type token: `oci:Core/volume:Volume` lies in `@pulumi/oci/core/volume`. */
function sdkFile(token: string, extension: "js" | "d.ts"): string {
  const [cloud, module = ""] = token.split(":");
  const [folder = "", file] = module.split("/");
  const script = createRequire(import.meta.url).resolve(`@pulumi/${cloud}/${folder.toLowerCase()}/${file}.js`);
  return readFileSync(script.replace(/js$/, extension), "utf8");
}

const isCloud = (token: string) => !token.startsWith("kubernetes:");

describe("the data name what the installed SDKs have", () => {
  test.each(stateful.types.filter(isCloud))("stateful type %s", (token) => {
    expect(sdkFile(token, "js")).toContain(`'${token}'`);
  });

  test.each(encryption.requirements.filter(({ type }) => isCloud(type)))("$type $path", ({ type, path }) => {
    expect(sdkFile(type, "js")).toContain(`'${type}'`);
    expect(sdkFile(type, "d.ts")).toMatch(new RegExp(`^ {4}${path.split(/[.[]/)[0]}\\??: pulumi\\.Input`, "m"));
  });
});

test("requirements ask for one of two things", () => {
  expect([...new Set(encryption.requirements.map(({ requires }) => requires))].sort()).toEqual([
    "encryption",
    "own key",
  ]);
});

test("lists are sorted and without duplicates, so that a diff shows what changed", () => {
  for (const list of [clusterScoped.kinds, stateful.types]) {
    expect(list).toEqual([...new Set(list)].sort());
  }
});
