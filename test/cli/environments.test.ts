import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { environmentNames } from "../../cli/environments";
import { useFolder } from "./run";

const folder = useFolder();

it("environments are files Pulumi.<name>.yaml, and not what editors and merges leave beside them", () => {
  const others = ["Pulumi.yaml", "Pulumi.dev.yaml.orig", "Pulumi.dev.yaml~", "old-Pulumi.dev.yaml", "Pulumi.dev.yml"];
  for (const name of ["Pulumi.dev.yaml", "Pulumi.a_b-2.yaml", "Pulumi.dev.eu.yaml", ...others]) {
    writeFileSync(join(folder, name), "");
  }
  expect(environmentNames(folder)).toEqual(["a_b-2", "dev", "dev.eu"]);
});
