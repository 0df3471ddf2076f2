import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { images } from "../catalog/images";
import { repositoryRoot } from "../names/repository-root";
import { engines, scripts } from "../package.json";

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly "timeout-minutes"?: unknown;
  readonly environment?: string;
  readonly container?: { readonly image: string };
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly number[]>> };
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions?: unknown;
  readonly on: {
    readonly schedule?: readonly { readonly cron: string }[];
    readonly workflow_call?: { readonly inputs: Readonly<Record<string, { readonly required?: boolean }>> };
  };
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(repositoryRoot(), ".github", "workflows");
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const jobsOf = (file: string) => (parse(readFileSync(join(folder, file), "utf8")) as Workflow).jobs;

/** What a job runs, in its own steps or as the input of a workflow that it calls. */
function commandsOf({ steps = [], with: inputs }: Job): readonly string[] {
  const given = typeof inputs?.command === "string" ? [inputs.command] : [];
  return [...given, ...steps.flatMap(({ run }) => run ?? [])];
}

describe.each(files)("workflow $name", ({ text }) => {
  const { permissions, on, jobs } = parse(text) as Workflow;

  it("names each action by commit, with its version beside it", () => {
    const actions = [...text.matchAll(/uses: *(.+)$/gm)].map(([, action = ""]) => action);
    const [local, others] = [true, false].map((isLocal) => actions.filter((each) => each.startsWith("./") === isLocal));
    expect(actions).not.toEqual([]);
    expect(others?.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    expect(local?.filter((path) => !existsSync(join(repositoryRoot(), path)))).toEqual([]);
  });

  it("may only read the repository, unless a job asks for more", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("bounds the time of every job", () => {
    const limits = Object.values(jobs).map((job) => job["timeout-minutes"] ?? job.with?.minutes);
    // A called workflow takes the limit that its caller must give.
    const isGiven = on.workflow_call?.inputs.minutes?.required === true;
    const isLimit = (limit: unknown) =>
      typeof limit === "number" || (isGiven && /^\$\{\{ inputs\.minutes \}\}$/.test(String(limit)));
    expect(limits.filter((limit) => !isLimit(limit))).toEqual([]);
  });

  it("gives credentials only to jobs of a protected environment", () => {
    const unguarded = Object.entries(jobs).filter(
      ([, job]) => /secrets\.(?!GITHUB_TOKEN)/.test(JSON.stringify(job)) && job.environment === undefined,
    );
    expect(unguarded.map(([name]) => name)).toEqual([]);
  });

  it("names the image of a container by the catalogue's digest", () => {
    const known = images.map(({ repository, tag, digest }) => `${repository}:${tag}@${digest}`);
    for (const { container } of Object.values(jobs)) {
      expect([...known, undefined]).toContain(container?.image);
    }
  });
});

describe("a pull request", () => {
  const jobs = jobsOf("check.yaml");
  const { result, ...others } = jobs;
  const sharded = Object.entries(others).filter(([, { strategy }]) => strategy?.matrix.shard !== undefined);

  it("is held to all that npm test is", () => {
    const commands = Object.values(others).flatMap(commandsOf).join("\n");
    expect(scripts.test.split(" && ")).toEqual(["npm run -s typecheck", "npm run -s lint", scripts.unit]);
    for (const script of ["typecheck", "lint", "unit", "test:e2e"]) {
      expect(commands).toMatch(new RegExp(`^npm run ${script}\\b`, "m"));
    }
    expect(commands).toMatch(/^sh \.ci\/commits\.sh$/m);
  });

  it("runs each shard of its tests once", () => {
    expect(sharded.map(([name]) => name)).toEqual(["unit", "real-parts"]);
    for (const [, job] of sharded) {
      const shards = job.strategy?.matrix.shard ?? [];
      const [command] = commandsOf(job).filter((each) => each.includes("--shard="));
      expect(command).toContain(`--shard=\${{ matrix.shard }}/${shards.length} `);
      expect(shards).toEqual(shards.map((_, index) => index + 1));
    }
  });

  it("runs tests on Node alone on every even release line that package.json allows", () => {
    const lines = others.unit?.strategy?.matrix.node ?? [];
    const allowed = [...engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].map(([, major]) => Number(major));
    const [oldest = 0] = allowed;
    expect(lines).toEqual(expect.arrayContaining(allowed));
    expect(lines).toEqual(lines.map((_, index) => oldest + 2 * index));
    expect(lines.length).toBeGreaterThan(allowed.length);
  });

  it("gets one result: of every job that needs no credentials", () => {
    const open = Object.keys(others).filter((name) => others[name]?.environment === undefined);
    expect([...(result?.needs ?? [])].sort()).toEqual(open.sort());
    // A job that needs others is skipped where one of them failed, and a skipped check passes.
    expect(result?.if).toBe("always()");
    const [failing] = (result?.steps ?? []).filter(({ run }) => run === "exit 1");
    for (const outcome of ["failure", "cancelled", "skipped"]) {
      expect(failing?.if).toContain(`contains(needs.*.result, '${outcome}')`);
    }
  });

  it("gets one report of all shards", () => {
    const text = JSON.stringify(result);
    expect(text).toContain('"pattern":"report-*"');
    for (const [name, job] of sharded) {
      expect(JSON.stringify(job)).toMatch(new RegExp(`"report-${name}-`));
      expect(JSON.stringify(job)).toMatch(new RegExp(`--outputFile\\.blob=reports/${name}[/-]`));
      expect(text).toMatch(new RegExp(`reports/${name}`));
    }
  });

  it("gets reports of a container where its paths are", () => {
    const merging = (result?.steps ?? []).filter(({ run = "" }) => run.includes("--merge-reports"));
    const ofContainer = merging.filter(({ run = "" }) => run.includes("mount --bind"));
    expect(Object.values(jobsOf("on-real-parts.yaml")).every(({ container }) => container !== undefined)).toBe(true);
    expect(
      ofContainer.map(({ run = "" }) => run.includes("=reports/real-parts ") && run.includes("root=/__w/")),
    ).toEqual([true]);
    expect(merging).toHaveLength(2);
  });
});

describe("a night", () => {
  const jobs = Object.values(jobsOf("nightly.yaml"));
  const commands = jobs.flatMap(commandsOf);

  it("measures every group of the bench", () => {
    expect(commands.filter((command) => command.startsWith("npm run bench"))).toEqual(["npm run bench -- --small"]);
  });

  it("runs all properties whole", () => {
    const steps = jobs.flatMap(({ steps = [] }) => steps).filter(({ run }) => run === "npm test");
    expect(steps.map(({ env }) => env)).toEqual([{ PROPERTY_RUNS: "full" }]);
  });

  it("runs every nightly test, with the real parts or in a job of its own", () => {
    const nightly = commands.filter((command) => command.includes("npm run test:nightly"));
    const excluded = nightly.flatMap((command) =>
      [...command.matchAll(/--exclude 'test\/nightly\/(\w+)\/\*\*'/g)].map(([, name]) => name),
    );
    expect(excluded.length).toBeGreaterThan(0);
    expect(nightly).toHaveLength(excluded.length + 1);
    for (const name of excluded) {
      expect(nightly).toContain(`npm run test:nightly -- ${name}`);
    }
  });

  it("tries the engines", () => {
    expect(commands).toContain("npm run test:engines");
  });
});

it("looks at the age of pins each week", () => {
  const { on, jobs } = parse(readFileSync(join(folder, "pins.yaml"), "utf8")) as Workflow;
  expect(on.schedule?.map(({ cron }) => cron)).toEqual([expect.stringMatching(/^\d+ \d+ \* \* \d$/)]);
  expect(Object.values(jobs).flatMap(commandsOf).join("\n")).toMatch(/^npm run --silent pins /m);
});

it("installs packages without running their scripts", () => {
  expect(readFileSync(join(repositoryRoot(), ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
});
