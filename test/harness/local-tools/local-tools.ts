import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programIn } from "../../../names/programs";

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Programs that are stood in for, by the script that does. */
const SCRIPTS = { docker: "engine.sh", podman: "engine.sh", k3d: "cluster-tool.sh", kind: "cluster-tool.sh" } as const;
export type LocalTool = keyof typeof SCRIPTS;

/** What the scripts and stand-ins call besides: a container engine of this machine must not be found. */
const UTILITIES = ["awk", "cat", "grep", "mkdir", "mktemp", "rm", "sh", "sleep"] as const;

/** A computer with container engines and what makes clusters in them, all of which keep their things in one folder. */
export class LocalTools {
  readonly folder: string;
  /** For PATH. */
  readonly bin: string;

  constructor(tools: readonly LocalTool[], parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "local-tools-"));
    this.bin = join(this.folder, "bin");
    mkdirSync(this.bin);
    for (const name of UTILITIES) {
      const path = programIn(process.env.PATH, name);
      if (path === undefined) {
        throw new Error(`${name} is not on the PATH (${process.env.PATH})`);
      }
      symlinkSync(path, join(this.bin, name));
    }
    for (const tool of tools) {
      this.program(tool, readFileSync(join(__dirname, SCRIPTS[tool]), "utf8"));
    }
    this.write("kubeconfig", "apiVersion: v1\nkind: Config\n");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** A program on the PATH. */
  program(name: string, text: string): void {
    const file = join(this.bin, name);
    // A utility is a link there: what is written must not go through it, into the machine's own.
    rmSync(file, { force: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }

  /** What the programs go by: `docker-stopped`, `create-fails`, `kubeconfig` … */
  write(name: string, text = ""): void {
    writeFileSync(join(this.folder, name), text);
  }

  forget(name: string): void {
    rmSync(join(this.folder, name));
  }

  /** Names of the clusters of a tool. */
  clusters(tool: "k3d" | "kind"): string[] {
    return this.list(tool);
  }

  /** Volumes by name, with the value of their label. */
  volumes(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.list("volumes").map((name) => [name, readFileSync(join(this.folder, "volumes", name), "utf8").trim()]),
    );
  }

  /** What was called since the last time, without what only asks. */
  calls(): string[] {
    const log = join(this.folder, "log");
    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    rmSync(log, { force: true });
    return lines.filter(
      (line) => !/ (info|version|--version|get clusters|cluster list|volume inspect|inspect)\b/.test(line),
    );
  }

  /** Variables that the programs need, on a PATH of nothing else. */
  get env(): Readonly<Record<string, string>> {
    return { LOCAL_TOOLS: this.folder, PATH: this.bin };
  }

  /** Runs a command as the provider of commands does: in a shell, with the given standard input. */
  shell(command: string, stdin: string, env: Readonly<Record<string, string>>, sh = "/bin/sh"): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(sh, ["-c", command], { cwd: this.folder, env: { ...this.env, ...env } });
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      child.once("error", reject);
      child.once("close", (status) =>
        resolve({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
      );
      child.stdin.on("error", () => {}).end(stdin);
    });
  }

  private list(folder: string): string[] {
    const path = join(this.folder, folder);
    return existsSync(path) ? readdirSync(path).sort() : [];
  }
}
