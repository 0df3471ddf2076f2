import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installedCharts } from "../../catalog/chart-images";
import { LOCK_FILE } from "../../charts/lock";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { ChartClone, DIRECTORY } from "./engine/chart-clone";
import { sharedBySuite } from "./shared-by-suite";

interface Release {
  readonly type: string;
  readonly inputs: { readonly chart: string; readonly version: string };
}

describe("charts as files", { timeout: 300_000 }, () => {
  const clone = sharedBySuite(() => ChartClone.start());
  const releases: Release[] = [];

  it("are fetched by the first preview, which says so", async () => {
    const { status, output } = await clone().run("preview");
    expect(status, output).toBe(0);
    expect(output).toContain(`fetched ${installedCharts.length} charts`);
    expect(output).toContain(`${LOCK_FILE} has the digests of ${installedCharts.length} more charts: commit it`);
    const lock = JSON.parse(readFileSync(join(clone().project, LOCK_FILE), "utf8"));
    expect(Object.keys(lock.charts)).toEqual([...installedCharts].sort());
  });

  it("are loaded by a provider in its own working directory while no repository answers", async () => {
    await clone().repositories.stop();
    const asked = clone().repositories.asked.length;
    const { status, output } = await clone().run("up", "--yes");
    expect(status, output).toBe(0);
    expect(clone().repositories.asked).toHaveLength(asked);
    const exported = await clone().run("stack", "export");
    const { deployment } = JSON.parse(exported.output);
    releases.push(...deployment.resources.filter(({ type }: Release) => type === HELM_RELEASE));
    expect(releases.length).toBeGreaterThan(3);
  });

  it("stand in the state by paths that are the same on every machine", () => {
    expect(releases.length).toBeGreaterThan(3);
    for (const { inputs } of releases) {
      expect(inputs.chart).toMatch(/^\.\/\.charts\/[\w.-]+\.tgz$/);
      expect(inputs).not.toHaveProperty("repositoryOpts");
    }
  });

  it("show no change in another checkout, from the cache and the lock alone", async () => {
    rmSync(join(clone().project, DIRECTORY, ".charts"), { recursive: true });
    const { status, output } = await clone().run("preview", "--expect-no-changes");
    expect(status, output).toBe(0);
    expect(output).not.toContain("fetched");
  });

  it("are put right where a byte changed, and refused where there is no right copy", async () => {
    const right = readFileSync(clone().placed("cert-manager"));
    const wrong = Buffer.from(right);
    wrong[30] = (wrong[30] ?? 0) ^ 1;
    writeFileSync(clone().placed("cert-manager"), wrong);
    const repaired = await clone().run("preview", "--expect-no-changes");
    expect(repaired.status, repaired.output).toBe(0);
    expect(readFileSync(clone().placed("cert-manager")).equals(right)).toBe(true);
    writeFileSync(clone().placed("cert-manager"), wrong);
    writeFileSync(clone().cached("cert-manager"), wrong);
    const { status, output } = await clone().run("preview");
    expect(status).not.toBe(0);
    expect(output).toMatch(/chart cert-manager \S+ is not in .*does not give it.*\n.*Fix: run npm run charts/);
    expect(output).not.toMatch(/^\s+at .*:\d+:\d+/m);
    writeFileSync(clone().cached("cert-manager"), right);
  });

  it("that this platform does not install keep nobody back", async () => {
    const other = "beta9-chart";
    expect(releases.some(({ inputs }) => inputs.chart.includes(other))).toBe(false);
    rmSync(clone().placed(other));
    rmSync(clone().cached(other));
    const { status, output } = await clone().run("preview", "--expect-no-changes");
    expect(status, output).toBe(0);
    expect(existsSync(clone().placed(other))).toBe(false);
  });

  it("leave releases in place where an environment goes back to repositories, and comes again", async () => {
    await clone().run("config", "set", "inference-stacks:charts", "repository");
    const { status, output } = await clone().run("up", "--yes");
    expect(status, output).toBe(0);
    expect(output).toContain(`~ ${releases.length} updated`);
    expect(output).not.toMatch(/replaced|deleted/);
    await clone().run("config", "rm", "inference-stacks:charts");
    const back = await clone().run("preview");
    expect(back.output).toContain(`~ ${releases.length} to update`);
    expect(back.output).not.toMatch(/to replace|to delete|to create/);
  });
});
