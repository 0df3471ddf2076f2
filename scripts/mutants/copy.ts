import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyFolder } from "./copy-folder";
import { type Mutant, mutated } from "./mutant";

const git = (folder: string, ...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();

/** The commit that a name means. @throws Error of git for a name that it does not know */
export function commitNamed(name: string, repository: string): string {
  return git(repository, "rev-parse", "--verify", `${name}^{commit}`);
}

/**
 * A commit in a temporary folder, with a copy of the packages that are installed here. A clone that borrows objects, not a
 * worktree: what a mutant does to its repository and packages stays there.
 */
export class Copy {
  /** Holds the copy, its home and its folder for temporary files. */
  private readonly place = mkdtempSync(join(tmpdir(), "inference-stacks-mutants-"));
  readonly root = join(this.place, "tree");
  /** Of programs that run in it: what a mutant writes by mistake goes with the copy. */
  readonly environment = { HOME: join(this.place, "home"), TMPDIR: join(this.place, "tmp") };

  constructor(repository: string, commit: string) {
    git(repository, "clone", "--quiet", "--shared", "--no-checkout", repository, this.root);
    git(this.root, "checkout", "--quiet", "--detach", commit);
    for (const folder of packageFolders(repository)) {
      copyFolder(join(repository, folder), join(this.root, folder));
    }
    for (const folder of Object.values(this.environment)) {
      mkdirSync(folder);
    }
  }

  /** Text of a file as it is committed or changed now; undefined where there is none. */
  read(file: string): string | undefined {
    try {
      return readFileSync(join(this.root, file), "utf8");
    } catch {
      return undefined;
    }
  }

  /** Brings mutants in, those of earlier calls out, and what their tests left behind. @param mutants none of which overlap */
  apply(mutants: readonly Mutant[]): void {
    git(this.root, "checkout", "--quiet", "--force", ".");
    git(this.root, "clean", "-fdxq", "--exclude=node_modules");
    for (const file of new Set(mutants.map((mutant) => mutant.file))) {
      const text = mutated(
        this.read(file) ?? "",
        mutants.filter((mutant) => mutant.file === file),
      );
      writeFileSync(join(this.root, file), text);
    }
  }

  remove(): void {
    rmSync(this.place, { recursive: true, force: true });
  }
}

/** `node_modules` of a checkout and of its workspaces, by path from the root. */
function packageFolders(repository: string): string[] {
  const workspaces = readdirSync(join(repository, "services")).map((name) => join("services", name));
  return ["", ...workspaces]
    .map((folder) => join(folder, "node_modules"))
    .filter((folder) => existsSync(join(repository, folder)));
}
