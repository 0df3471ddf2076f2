import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { chartNameOf } from "../../catalog/chart-archive";
import { type ChartEntry, chart } from "../../catalog/charts";
import { ChartRepositories } from "../../charts/find";
import { HttpRegistry } from "../../charts/http-registry";
import { LOCK_FILE } from "../../charts/lock";
import { ChartsError, LockFile } from "../../charts/lock-file";
import { type PlacedCharts, placeCharts } from "../../charts/place";
import { problemLines } from "../../charts/problem";
import { ChartStore } from "../../charts/store";
import { chartArchiveOf, sha256 } from "../bundle/registry";
import { FakeRepositories } from "./fake-repositories";

/** One of each kind of repository. */
const CHARTS = [chart("cert-manager"), chart("lws")];

let folder = "";
let fake: FakeRepositories;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "charts-"));
  fake = await FakeRepositories.start(CHARTS);
  onTestFinished(async () => {
    await fake.stop();
    rmSync(folder, { recursive: true });
  });
});

/** A run of the program: nothing is kept between two but files. */
function run(charts: readonly ChartEntry[] = fake.charts, project = folder): Promise<PlacedCharts> {
  return placeCharts(charts, join(project, "stacks"), {
    lock: new LockFile(project),
    store: new ChartStore(join(folder, "cache")),
    repositories: new ChartRepositories(new HttpRegistry()),
  });
}

function placed(name: string, checkout = folder): string {
  const digest = sha256(fake.archives.get(name) ?? Buffer.alloc(0)).slice(0, 12);
  return join(checkout, "stacks", ".charts", `${name}-${chart(name).version}-${digest}.tgz`);
}

function cached(name: string): string {
  return join(folder, "cache", `${sha256(fake.archives.get(name) ?? Buffer.alloc(0))}.tgz`);
}

describe("charts as files", () => {
  it("come from both kinds of repository, and are named by paths that are the same on every machine", async () => {
    const { paths, problems, fetched, added } = await run();
    expect([...problems]).toEqual([]);
    const relative = (name: string) => placed(name).replace(join(folder, "stacks"), ".");
    expect(Object.fromEntries(paths)).toEqual({ "cert-manager": relative("cert-manager"), lws: relative("lws") });
    expect([...paths].map(([, path]) => chartNameOf(path))).toEqual([...paths.keys()]);
    expect([fetched.length, added.length]).toEqual([2, 2]);
    for (const [name, content] of fake.archives) {
      expect(readFileSync(placed(name)).equals(content), name).toBe(true);
    }
  });

  it("are asked for once: later runs work while every repository is away, in a new checkout too", async () => {
    const first = await run();
    const asked = fake.asked.length;
    await run();
    expect(fake.asked).toHaveLength(asked);
    await fake.stop();
    const again = await run();
    expect([...again.paths]).toEqual([...first.paths]);
    expect([again.fetched, again.added]).toEqual([[], []]);
    const checkout = join(folder, "checkout");
    new LockFile(checkout).add(
      new Map(fake.charts.map((each) => [each, sha256(fake.archives.get(each.name) ?? Buffer.alloc(0))])),
    );
    expect([...(await run(fake.charts, checkout)).problems]).toEqual([]);
    expect(existsSync(placed("lws", checkout))).toBe(true);
  });

  it("have their digests in a lock that is the same whatever came first", async () => {
    await run();
    const lock = readFileSync(join(folder, LOCK_FILE), "utf8");
    expect(JSON.parse(lock).charts).toEqual(
      Object.fromEntries(
        fake.charts.map(({ name, version, repository }) => [
          name,
          { version, repository, sha256: sha256(fake.archives.get(name) ?? Buffer.alloc(0)) },
        ]),
      ),
    );
    rmSync(join(folder, LOCK_FILE));
    await run([...fake.charts].reverse());
    expect(readFileSync(join(folder, LOCK_FILE), "utf8")).toBe(lock);
  });

  it("are put right where a byte changed, from the cache, and from the repository where it changed there too", async () => {
    await run();
    const right = readFileSync(placed("lws"));
    const wrong = Buffer.from(right);
    wrong[20] = (wrong[20] ?? 0) ^ 1;
    writeFileSync(placed("lws"), wrong);
    const asked = fake.asked.length;
    await run();
    expect(readFileSync(placed("lws")).equals(right)).toBe(true);
    expect(fake.asked).toHaveLength(asked);
    writeFileSync(placed("lws"), wrong);
    writeFileSync(cached("lws"), wrong);
    await run();
    expect(readFileSync(placed("lws")).equals(right)).toBe(true);
    expect(readFileSync(cached("lws")).equals(right)).toBe(true);
    writeFileSync(placed("lws"), wrong);
    writeFileSync(cached("lws"), wrong);
    await fake.stop();
    const { paths, problems } = await run();
    expect([...paths.keys()]).toEqual(["cert-manager"]);
    expect(problems.get("lws")?.message).toMatch(/^chart lws 0\.10\.0 is not in .*does not give it: http:/);
    expect(problems.get("lws")?.fix).toContain("npm run charts");
  });

  it.each(CHARTS.map(({ name }) => name))(
    "are refused where the repository of %s has other bytes than before",
    async (name) => {
      await run();
      const before = sha256(fake.archives.get(name) ?? Buffer.alloc(0));
      const other = chartArchiveOf(chart(name).chart, `${chart(name).version}+other`);
      rmSync(join(folder, "cache"), { recursive: true });
      rmSync(placed(name));
      fake.archives.set(name, other);
      const { paths, problems } = await run();
      expect(paths.has(name)).toBe(false);
      expect(existsSync(placed(name))).toBe(false);
      const problem = problemLines([...problems.values()]).join("\n");
      for (const part of [`chart ${name} ${chart(name).version}`, before, sha256(other), LOCK_FILE, "npm run charts"]) {
        expect(problem).toContain(part);
      }
      expect(fake.asked.at(-1)).not.toMatch(/chart\.tgz|blobs/);
    },
  );

  it("are refused where they are not as they were published, whatever the lock says", async () => {
    const [one] = fake.charts;
    const published = {
      version: chart("cert-manager").version,
      sha256: "0".repeat(64),
      source: "a test",
      asOf: "2026-11-28",
    };
    const { problems } = await run([{ ...(one as ChartEntry), archive: published }]);
    expect(problems.get("cert-manager")?.message).toMatch(/allowed: 0{64}, which catalog\/charts\.json says/);
    expect(existsSync(join(folder, LOCK_FILE))).toBe(false);
    const older = await run([{ ...(one as ChartEntry), archive: { ...published, version: "v1.0.0" } }]);
    expect([...older.problems]).toEqual([]);
  });

  it("of another version are another chart: their digest takes the place of the old one", async () => {
    await run();
    const next = fake.charts.map((each) => (each.name === "lws" ? { ...each, version: "0.10.1" } : each));
    expect((await run(next)).problems.get("lws")?.message).toContain("what");
    fake.archives.set("lws", chartArchiveOf("lws", "0.10.1"));
    expect([...(await run(next)).problems]).toEqual([]);
    const { charts } = JSON.parse(readFileSync(join(folder, LOCK_FILE), "utf8"));
    expect([charts.lws.version, charts["cert-manager"].version]).toEqual(["0.10.1", chart("cert-manager").version]);
  });

  it("of one repository that is away keep back nothing but themselves", async () => {
    const charts = fake.charts.map((each) =>
      each.name === "lws" ? { ...each, repository: "oci://127.0.0.1:1/lws" } : each,
    );
    const { paths, problems } = await run(charts);
    expect([[...paths.keys()], [...problems.keys()]]).toEqual([["cert-manager"], ["lws"]]);
    expect(problems.get("lws")?.message).toContain("oci://127.0.0.1:1/lws does not give it");
  });
});

it("a chart that was published anew gets another path, which updates its release", async () => {
  const first = await run();
  fake.archives.set("lws", gzipSync(gunzipSync(fake.archives.get("lws") ?? ""), { level: 1 }));
  const lock = JSON.parse(readFileSync(join(folder, LOCK_FILE), "utf8"));
  delete lock.charts.lws;
  writeFileSync(join(folder, LOCK_FILE), JSON.stringify(lock));
  const second = await run();
  expect(second.paths.get("lws")).not.toBe(first.paths.get("lws"));
  expect(second.paths.get("cert-manager")).toBe(first.paths.get("cert-manager"));
});

it("charts of repositories that are away have one fix together", async () => {
  await fake.stop();
  const { problems } = await run();
  const lines = problemLines([...problems.values()]);
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["chart", "chart", "Fix:"]);
});

describe("the lock", () => {
  it.each([
    ["{", "it is no JSON"],
    ['{"format": 2, "charts": {}}', "format"],
    ['{"format": 1, "charts": {"lws": {"version": "1", "repository": "x", "sha256": "abc"}}}', "charts.lws.sha256"],
  ])("that is broken is refused with its path and the fix: %s", async (text, problem) => {
    writeFileSync(join(folder, LOCK_FILE), text);
    const refused = run();
    await expect(refused).rejects.toThrow(ChartsError);
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.toThrow(`git checkout ${LOCK_FILE}`);
    expect(fake.asked).toEqual([]);
  });

  it("is complete after two runs at once, of which each found other charts", async () => {
    const [one, two] = fake.charts.map((each) => [each]);
    await Promise.all([run(one), run(two)]);
    expect(Object.keys(JSON.parse(readFileSync(join(folder, LOCK_FILE), "utf8")).charts)).toEqual([
      "cert-manager",
      "lws",
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("refuses bytes that another run did not get", () => {
    const lock = new LockFile(folder);
    const [one] = fake.charts as [ChartEntry];
    lock.add(new Map([[one, "a".repeat(64)]]));
    expect(() => lock.add(new Map([[one, "b".repeat(64)]]))).toThrow(/b{64}.*a{64}/);
  });

  it("that cannot be written is told with the fix", () => {
    const [one] = fake.charts as [ChartEntry];
    // A link to nowhere in place of the folder: root cannot write there either.
    const project = join(folder, "project");
    symlinkSync(join(folder, "nowhere"), project);
    expect(() => new LockFile(project).add(new Map([[one, "a".repeat(64)]]))).toThrow(
      /cannot be written.*npm run charts/,
    );
  });
});
