import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTestFile, type PromtoolFiles, promtoolFiles, rulesFile, SUBJECTS } from "./promtool-files";
import { tool } from "./tool";

describe("Prometheus rules in promtool", () => {
  const files = promtoolFiles();
  let folder = "";
  const write = (written: PromtoolFiles) => {
    for (const [name, text] of Object.entries(written)) {
      writeFileSync(join(folder, name), text);
    }
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rules-"));
    write({ ...files, "all.yaml": rulesFile() });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("accepts every rule and every annotation template", () => {
    const { status, output } = tool("promtool", "check", "rules", join(folder, "all.yaml"));
    const rules = SUBJECTS.flatMap(({ alerts, recording }) => [...alerts, ...recording]);
    expect(output).toContain(`${rules.length} rules found`);
    expect(status, output).toBe(0);
  });

  // Half a minute of a core, and one past is of a day.
  it("fires each alert in its firing past, keeps it quiet in the other, and gives each recorded value", {
    timeout: 400_000,
  }, () => {
    const tests = Object.keys(files).filter(isTestFile);
    const alerts = SUBJECTS.flatMap(({ alerts: own }) => own);
    const named = alerts.filter(({ alert }) => tests.some((name) => files[name]?.includes(`${alert} stays quiet`)));
    expect(named).toEqual(alerts);
    const { status, output } = tool("promtool", "test", "rules", ...tests.map((name) => join(folder, name)));
    expect(status, output).toBe(0);
  });

  it("notices an alert that does not fire", () => {
    write({ "broken.test.yaml": (files["serving.test.yaml"] ?? "").replaceAll("0.95x40", "0.5x40") });
    const { status, output } = tool("promtool", "test", "rules", join(folder, "broken.test.yaml"));
    expect(output).toContain("KvCacheAlmostFull");
    expect(status).not.toBe(0);
  });
});
