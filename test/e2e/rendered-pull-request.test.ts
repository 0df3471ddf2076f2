/** The script of the workflow "rendered", with a bare Git repository and a fake gh. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";

const SCRIPT = join(repositoryRoot(), ".github", "rendered-pull-request.sh");
const BRANCH = "inference-stacks/rendered";
const root = mkdtempSync(join(tmpdir(), "rendered-pull-request-"));
afterAll(() => rmSync(root, { recursive: true }));

interface PullRequest {
  readonly number: number;
  readonly head: string;
  readonly isCrossRepository: boolean;
  state: "open" | "closed";
  title: string;
  body: string;
}

/** A gh that keeps its pull requests in a file, and takes the arguments that the script gives. */
const GH = `#!${process.execPath}
const { readFileSync, writeFileSync, existsSync } = require("node:fs");
const file = process.env.FAKE_GH;
const all = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const argv = process.argv.slice(2);
const of = (name) => argv[argv.indexOf(name) + 1];
const body = () => readFileSync(0, "utf8");
const own = ({ head, state, isCrossRepository }) => head === of("--head") && state === "open" && !isCrossRepository;
switch (argv.slice(0, 2).join(" ")) {
  case "pr list":
    if (of("--jq") !== "map(select(.isCrossRepository | not)) | .[0].number // empty") process.exit(64);
    process.stdout.write(String(all.filter(own)[0]?.number ?? ""));
    break;
  case "pr create":
    all.push({ number: all.length + 1, head: of("--head"), isCrossRepository: false, state: "open", title: of("--title"), body: body() });
    break;
  case "pr close":
    all.find(({ number }) => String(number) === argv[2]).state = "closed";
    require("node:child_process").execFileSync("git", ["push", "--quiet", "origin", "--delete", "${BRANCH}"]);
    break;
  case "api --silent": {
    const found = all.find(({ number }) => argv.includes("repos/{owner}/{repo}/pulls/" + number));
    Object.assign(found, { title: of("--raw-field").replace("title=", ""), body: body() });
    break;
  }
  default:
    process.exit(64);
}
writeFileSync(file, JSON.stringify(all));
`;

let place = "";
let tries = 0;
const inPlace = (...path: string[]) => join(place, ...path);
const env = () => ({
  ...process.env,
  PATH: `${inPlace("bin")}${delimiter}${process.env.PATH}`,
  FAKE_GH: inPlace("gh.json"),
});
const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, [...args], { cwd, encoding: "utf8", env: env() });
const git = (cwd: string, ...args: string[]) =>
  run("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], cwd).trim();
const bare = () => inPlace("gitops.git");
const shown = (path: string, branch = BRANCH) => git(bare(), "show", `${branch}:${path}`);
const pullRequests = (): PullRequest[] =>
  existsSync(inPlace("gh.json")) ? JSON.parse(readFileSync(inPlace("gh.json"), "utf8")) : [];

beforeEach(() => {
  tries += 1;
  place = join(root, String(tries));
  mkdirSync(inPlace("bin"), { recursive: true });
  writeFileSync(inPlace("bin", "gh"), GH);
  chmodSync(inPlace("bin", "gh"), 0o755);
  git(place, "init", "--quiet", "--bare", "--initial-branch=main", bare());
  git(place, "clone", "--quiet", bare(), inPlace("seed"));
  write(inPlace("seed"), { "rendered/dev/a.yaml": "replicas: 1\n", "README.md": "ours\n" });
  commit(inPlace("seed"));
});

function write(folder: string, files: Readonly<Record<string, string | undefined>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (text === undefined) {
      rmSync(join(folder, path));
    } else {
      writeFileSync(join(folder, path), text);
    }
  }
}

function commit(folder: string): void {
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "-m", "seed");
  git(folder, "push", "--quiet", "origin", "HEAD:main");
}

/** One run of the workflow: a fresh checkout, what was rendered into it, the script. */
function propose(
  files: Readonly<Record<string, string | undefined>>,
  text = "Render dev\n\n## dev\n\n- Cost\n",
): string {
  const checkout = mkdtempSync(join(place, "checkout-"));
  git(place, "clone", "--quiet", "--depth", "1", `file://${bare()}`, checkout);
  write(checkout, files);
  writeFileSync(inPlace("text.md"), text);
  return run("sh", [SCRIPT, checkout, "rendered", "main", inPlace("text.md")], place);
}

describe("the pull request of what was rendered", () => {
  it("has the rendered folders on a branch of its own, and title and text of the difference", () => {
    propose({ "rendered/dev/a.yaml": "replicas: 2\n", "rendered/edge/b.yaml": "new\n", "notes.txt": "not rendered" });
    expect(pullRequests()).toMatchObject([
      { head: BRANCH, state: "open", title: "Render dev", body: "## dev\n\n- Cost\n" },
    ]);
    expect([shown("rendered/dev/a.yaml"), shown("rendered/edge/b.yaml")]).toEqual(["replicas: 2", "new"]);
    expect(git(bare(), "ls-tree", "-r", "--name-only", BRANCH).split("\n")).not.toContain("notes.txt");
    expect(git(bare(), "log", "--format=%an %s", `main..${BRANCH}`)).toBe("github-actions[bot] Render dev");
    expect(shown("rendered/dev/a.yaml", "main")).toBe("replicas: 1");
  });

  it("is updated by the next change, and never a second one", () => {
    propose({ "rendered/dev/a.yaml": "replicas: 2\n" });
    write(inPlace("seed"), { "README.md": "other\n" });
    commit(inPlace("seed"));
    propose({ "rendered/dev/a.yaml": undefined }, "Render dev\n\nsecond\n");
    expect(pullRequests()).toMatchObject([{ number: 1, state: "open", body: "second\n" }]);
    expect(git(bare(), "log", "--format=%s", `main..${BRANCH}`).split("\n")).toHaveLength(1);
    expect(shown("README.md")).toBe("other");
    expect(git(bare(), "ls-tree", "-r", "--name-only", BRANCH)).not.toContain("rendered/dev/a.yaml");
  });

  it("keeps its commit while nothing new comes, so that approvals stay", () => {
    propose({ "rendered/dev/a.yaml": "replicas: 2\n" });
    const before = git(bare(), "rev-parse", BRANCH);
    propose({ "rendered/dev/a.yaml": "replicas: 2\n" }, "Render dev\n\nbetter words\n");
    expect([git(bare(), "rev-parse", BRANCH), pullRequests()[0]?.body]).toEqual([before, "better words\n"]);
  });

  it("is not opened where nothing differs, and is closed with its branch once main has it all", () => {
    expect(propose({})).toContain("nothing to propose");
    expect(pullRequests()).toEqual([]);
    propose({ "rendered/dev/a.yaml": "replicas: 2\n" });
    propose({});
    expect(pullRequests()).toMatchObject([{ state: "closed" }]);
    expect(git(bare(), "branch", "--list", BRANCH)).toBe("");
  });

  it("is not confused with one of a fork whose branch has the same name", () => {
    const theirs = { number: 1, head: BRANCH, isCrossRepository: true, state: "open", title: "theirs", body: "" };
    writeFileSync(inPlace("gh.json"), JSON.stringify([theirs]));
    propose({ "rendered/dev/a.yaml": "replicas: 2\n" });
    expect(pullRequests()).toMatchObject([theirs, { number: 2, title: "Render dev" }]);
  });

  it("has a title where only the records of render differ", () => {
    propose({ "rendered/dev/.inference-stacks.json": "{}\n" }, "");
    expect(pullRequests()).toMatchObject([{ title: "Render", body: "" }]);
  });
});
