import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { chart } from "../../catalog/charts";
import { LOCK_FILE } from "../../charts/lock";
import { type ChartsPlace, main } from "../../cli/charts";
import { chartArchiveOf } from "../bundle/registry";
import { FakeRepositories } from "../charts/fake-repositories";

let fake: FakeRepositories;
let place: ChartsPlace;

beforeEach(async () => {
  const project = mkdtempSync(join(tmpdir(), "charts-"));
  fake = await FakeRepositories.start([chart("cert-manager"), chart("lws")]);
  place = { charts: fake.charts, project, cache: join(project, "cache") };
  onTestFinished(async () => {
    await fake.stop();
    rmSync(project, { recursive: true });
  });
});

async function run(...argv: string[]): Promise<{ readonly status: number; readonly said: string }> {
  const said: string[] = [];
  const tell = (text: string) => void said.push(text);
  const status = await main(argv, { out: tell, err: tell, color: false }, place);
  return { status, said: said.join("") };
}

describe("npm run charts", () => {
  it("says what is missing, fetches it, and finds it there", async () => {
    const before = await run("--check");
    expect(before.status).toBe(1);
    expect(before.said).toContain("2 of 2 charts are not in");
    expect(before.said).toContain("lws: its digest is not known yet");
    expect(fake.asked).toEqual([]);
    const fetched = await run();
    expect(fetched.status).toBe(0);
    expect(fetched.said).toMatch(/^cert-manager v\S+ +fetched +[0-9a-f]{64}$/m);
    expect(fetched.said).toContain(`All 2 charts are in ${place.cache}`);
    expect(Object.keys(JSON.parse(readFileSync(join(place.project, LOCK_FILE), "utf8")).charts)).toHaveLength(2);
    await fake.stop();
    expect((await run("--check")).status).toBe(0);
    const rows = JSON.parse((await run("--json")).said);
    expect(rows.map(({ state }: { state: string }) => state)).toEqual(["cached", "cached"]);
  });

  it("refuses what changed, names both digests and the fix, and keeps the rest", async () => {
    await run();
    rmSync(place.cache, { recursive: true });
    fake.archives.set("lws", chartArchiveOf("lws", "6.6.6"));
    const { status, said } = await run();
    expect(status).toBe(1);
    expect(said).toMatch(/^cert-manager \S+ +fetched/m);
    expect(said).toMatch(
      /chart lws 0\.10\.0: oci:\S+ has it with the SHA-256 [0-9a-f]{64}, allowed: [0-9a-f]{64}, which charts\.lock\.json says/,
    );
    expect(said).toContain('delete "lws" from charts.lock.json and run npm run charts');
  });

  it("refuses what it does not know, and explains itself", async () => {
    expect((await run("--force")).status).toBe(2);
    expect((await run("--help")).said).toContain("Exit status");
  });
});
