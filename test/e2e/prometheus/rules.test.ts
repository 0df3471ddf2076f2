import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rulesFile, SUBJECTS, testFile } from "./promtool-files";
import { tool } from "./tool";

describe("Prometheus rules in promtool", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rules-"));
    writeFileSync(join(folder, "rules.yaml"), rulesFile());
    writeFileSync(join(folder, "tests.yaml"), testFile("rules.yaml"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("accepts every rule and every annotation template", () => {
    const { status, output } = tool("promtool", "check", "rules", join(folder, "rules.yaml"));
    const rules = SUBJECTS.flatMap(({ alerts, recording }) => [...alerts, ...recording]);
    expect(output).toContain(`${rules.length} rules found`);
    expect(status, output).toBe(0);
  });

  it("fires each alert in its firing past, keeps it quiet in the other, and gives each recorded value", () => {
    const { status, output } = tool("promtool", "test", "rules", join(folder, "tests.yaml"));
    expect(status, output).toBe(0);
  });

  it("notices an alert that does not fire", () => {
    const broken = testFile("rules.yaml").replaceAll("0.95x40", "0.5x40");
    writeFileSync(join(folder, "broken.yaml"), broken);
    const { status, output } = tool("promtool", "test", "rules", join(folder, "broken.yaml"));
    expect(output).toContain("KvCacheAlmostFull");
    expect(status).not.toBe(0);
  });
});
