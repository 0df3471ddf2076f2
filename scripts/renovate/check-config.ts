/**
 * Has Renovate's own validator read a configuration: `npx tsx scripts/renovate/check-config.ts`. Neither it nor the Node that
 * it asks for is a package of ours (607 packages, 460 MB): both come into a folder that is gone afterwards.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";

/** Renovate 44 runs on Node 24 alone (`engines` of its package). */
const RELEASES = { node: "24", renovate: "44.121.2" } as const;

export interface Verdict {
  readonly status: number | null;
  readonly output: string;
}

/** Renovate, in a folder of its own. */
export class Validator {
  readonly #folder = mkdtempSync(join(tmpdir(), "renovate-"));

  /** @throws Error with npm's words where a package cannot be had. */
  constructor() {
    // The package "node" fetches its binary in a script; no other may run one.
    this.#install("node", "--ignore-scripts=false");
    this.#install("renovate", "--ignore-scripts");
  }

  /** A repository's configuration, not a server's; one in an old form is refused too. */
  check(file: string): Verdict {
    const modules = (name: string) => join(this.#folder, name, "node_modules");
    return run(
      join(modules("node"), ".bin", "node"),
      [join(modules("renovate"), "renovate", "dist", "config-validator.js"), "--strict", "--no-global", file],
      this.#folder,
    );
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #install(name: keyof typeof RELEASES, scripts: string): void {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const { status, output } = run(
      "npm",
      ["install", "--no-audit", "--no-fund", scripts, `${name}@${RELEASES[name]}`],
      folder,
    );
    if (status !== 0) {
      throw new Error(`npm install ${name}@${RELEASES[name]} ended with ${status}:\n${output}`);
    }
  }
}

function run(command: string, args: readonly string[], cwd: string): Verdict {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { status, output: `${error?.message ?? ""}${stdout}${stderr}` };
}

if (process.argv[1] === __filename) {
  const validator = new Validator();
  const { status, output } = validator.check(join(repositoryRoot(), "renovate.json"));
  validator.remove();
  process.stdout.write(output);
  process.exitCode = status ?? 1;
}
