import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../names/repository-root";

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const folder = join(repositoryRoot(), ".github", "workflows");
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

describe.each(files)("workflow $name", ({ text }) => {
  const { permissions, jobs } = parse(text) as Workflow;

  it("names each action by commit, with its version beside it", () => {
    const actions = [...text.matchAll(/uses: *(.+)$/gm)].map(([, action = ""]) => action);
    expect(actions).not.toEqual([]);
    expect(actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it("may only read the repository, unless a job asks for more", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("bounds the time of every job", () => {
    expect(Object.entries(jobs).filter(([, job]) => typeof job["timeout-minutes"] !== "number")).toEqual([]);
  });

  it("gives credentials only to jobs of a protected environment", () => {
    const unguarded = Object.entries(jobs).filter(
      ([, job]) => /secrets\.(?!GITHUB_TOKEN)/.test(JSON.stringify(job)) && job.environment === undefined,
    );
    expect(unguarded.map(([name]) => name)).toEqual([]);
  });
});

it("installs packages without running their scripts", () => {
  expect(readFileSync(join(repositoryRoot(), ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
});
