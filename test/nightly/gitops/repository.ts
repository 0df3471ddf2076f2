import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Rendering } from "../../../render";
import { replaceFolders } from "../../../render/folder";

const BRANCH = "main";

/** A Git repository that holds the rendered folder of an environment, and the working tree of somebody who commits to it. */
export class GitRepository {
  /** The bare repository that others fetch from. */
  readonly bare: string;
  private readonly tree: string;

  constructor(
    folder: string,
    private readonly environment: string,
    /** Of the rendered folder in the repository. */
    private readonly path: string,
  ) {
    this.bare = join(folder, "gitops.git");
    this.tree = join(folder, "gitops");
    mkdirSync(folder, { recursive: true });
    git(folder, "init", "--quiet", "--bare", `--initial-branch=${BRANCH}`, this.bare);
    git(folder, "clone", "--quiet", this.bare, this.tree);
    git(this.tree, "checkout", "--quiet", "-B", BRANCH);
  }

  /** Writes the folder as `render` does, commits and pushes. @returns the commit. */
  commitRendering({ files, plan }: Pick<Rendering, "files" | "plan">): string {
    replaceFolders([{ folder: join(this.tree, this.path), environment: this.environment, files, plan }]);
    return this.push();
  }

  /** Changes a file of the folder by hand. */
  edit(file: string, change: (text: string) => string): void {
    const path = join(this.tree, this.path, file);
    const before = readFileSync(path, "utf8");
    const after = change(before);
    if (after === before) {
      throw new Error(`${file}: nothing was changed`);
    }
    writeFileSync(path, after);
  }

  /** Adds an object to the folder, and names it in the kustomization beside it. */
  add(file: string, text: string): void {
    const path = join(this.tree, this.path, file);
    writeFileSync(path, text);
    const folder = dirname(file);
    this.edit(join(folder, "kustomization.yaml"), (list) => `${list}- ${file.slice(folder.length + 1)}\n`);
  }

  /** Writes a file beside the folder, by its path in the repository. */
  write(file: string, text: string): void {
    const path = join(this.tree, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** The newest commit. */
  get head(): string {
    return git(this.tree, "rev-parse", "HEAD").trim();
  }

  /** Takes back all that was committed since. @returns the commit. */
  restore(commit: string): string {
    git(this.tree, "checkout", "--quiet", commit, "--", ".");
    git(this.tree, "clean", "-qfd");
    for (const file of git(this.tree, "diff", "--name-only", "--diff-filter=A", commit, "HEAD").split("\n")) {
      if (file !== "") {
        git(this.tree, "rm", "-qf", file);
      }
    }
    return this.push();
  }

  /** Commits what was changed, and pushes it. @returns the commit. */
  push(): string {
    git(this.tree, "add", "--all");
    git(
      this.tree,
      "-c",
      "user.name=operator",
      "-c",
      "user.email=operator@example.com",
      "commit",
      "--quiet",
      "-m",
      "change",
    );
    git(this.tree, "push", "--quiet", "origin", BRANCH);
    return this.head;
  }
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
