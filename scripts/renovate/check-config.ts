/**
 * Has Renovate's own validator read a configuration: `npx tsx scripts/renovate/check-config.ts`. Neither it nor the Node that
 * it asks for is a package of ours (607 packages, 460 MB): both come into a folder that is gone afterwards.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { installNode, installPackage, nodeIn } from "../install-package";

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
    installNode(join(this.#folder, "node"), RELEASES.node);
    installPackage(join(this.#folder, "renovate"), `renovate@${RELEASES.renovate}`);
  }

  /** A repository's configuration, not a server's; one in an old form is refused too. */
  check(file: string): Verdict {
    return run(
      nodeIn(join(this.#folder, "node")),
      [
        join(this.#folder, "renovate", "node_modules", "renovate", "dist", "config-validator.js"),
        "--strict",
        "--no-global",
        file,
      ],
      this.#folder,
    );
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
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
