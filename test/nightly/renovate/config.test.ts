import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { Validator } from "../../../scripts/renovate/check-config";
import { useFolder } from "../../cli/run";

const folder = useFolder();
const file = join(repositoryRoot(), "renovate.json");

let validator: Validator;
beforeAll(() => {
  validator = new Validator();
}, 10 * 60_000);
afterAll(() => validator.remove());

describe("Renovate's own validator", () => {
  it("takes renovate.json", () => {
    const { status, output } = validator.check(file);
    expect([status, output]).toEqual([0, expect.stringContaining("Config validated successfully")]);
  });

  it.each([
    ["a key in its old form", "managerFilePatterns", "fileMatch"],
    ["a manager without a datasource", "datasourceTemplate", "description"],
  ])("refuses %s", (_, key, other) => {
    const broken = join(folder, "renovate.json");
    writeFileSync(broken, readFileSync(file, "utf8").replaceAll(`"${key}"`, `"${other}"`));
    expect(validator.check(broken).status).toBe(1);
  });
});
