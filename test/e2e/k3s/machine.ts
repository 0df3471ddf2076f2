import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type HostScript, type ScriptInput, standardInput } from "../../../components/cluster/k3s/host-script";
import { requirePart } from "../../../rehearsal/parts/find";

requirePart("busybox");
/** The shells in which the scripts must run alike. */
export const SHELLS = ["dash", "busybox sh"] as const;
export type Shell = (typeof SHELLS)[number];

export interface MachineOutcome {
  /** -1: it was killed. */
  readonly status: number;
  readonly printed: string;
  readonly said: string;
}

export interface RunOptions {
  readonly shell?: Shell;
  /** The whole group of processes is killed with SIGKILL before the Nth program of PATH does what it is called for. */
  readonly killAt?: number;
}

/** What of the machine is one's own; all else is the real machine's, and read only by these scripts. */
const OWN = {
  etc: "/etc",
  var: "/var",
  "usr-local": "/usr/local",
  run: "/run",
  root: "/root",
  srv: "/srv",
  sys: "/sys",
} as const;

/** Programs of the machine that scripts call, and that may be killed before they do anything. */
const COUNTED =
  "base64 basename cat chmod cp cut dirname env find flock grep ln mkdir mv readlink rm rmdir sed sha256sum sort stat tar tr".split(
    " ",
  );

/**
 * A machine of its own for the scripts that run on hosts: mounts of their own over /etc, /var and so on, by namespaces,
 * so that the scripts name the real paths. Programs on its PATH are played by small scripts.
 */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "machine-"));

  constructor() {
    for (const own of Object.keys(OWN)) {
      mkdirSync(join(this.folder, own));
    }
    mkdirSync(join(this.folder, "bin"));
    // Without these no program starts, or nobody is root.
    for (const file of ["passwd", "group", "nsswitch.conf", "ld.so.cache", "alternatives"]) {
      if (existsSync(join("/etc", file))) {
        cpSync(join("/etc", file), join(this.folder, "etc", file), { recursive: true, verbatimSymlinks: true });
      }
    }
    mkdirSync(join(this.folder, "etc/sysctl.d"));
    mkdirSync(join(this.folder, "etc/systemd/system"), { recursive: true });
    mkdirSync(join(this.folder, "usr-local/bin"));
    mkdirSync(join(this.folder, "var/lib"));
    mkdirSync(join(this.folder, "var/log"));
    // Of mount itself.
    mkdirSync(join(this.folder, "run/mount"));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Where a path of the machine really is. */
  path(path: string): string {
    const [own, at] = Object.entries(OWN).find(([, mount]) => path === mount || path.startsWith(`${mount}/`)) ?? [];
    if (own === undefined || at === undefined) {
      throw new Error(`${path} is of the real machine`);
    }
    return join(this.folder, own, path.slice(at.length));
  }

  has(path: string): boolean {
    return lstatSync(this.path(path), { throwIfNoEntry: false }) !== undefined;
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  write(path: string, text: string, mode = 0o644): void {
    const target = this.path(path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    chmodSync(target, mode);
  }

  private readonly programs = new Set<string>();
  private readonly played = new Map<string, string>();

  /** A file of the kernel, such as /proc/swaps, that reads like this. */
  kernelFile(path: string, text: string): void {
    const note = path.replaceAll("/", "-");
    mkdirSync(join(this.folder, "played"), { recursive: true });
    writeFileSync(join(this.folder, "played", note), text);
    this.played.set(path, note);
  }

  /** A program on the machine's PATH: it notes its arguments, then does this in sh. $MACHINE_FOLDER is where notes are. */
  program(name: string, body = "true"): void {
    const target = join(this.folder, "bin", name);
    this.programs.add(name);
    writeFileSync(target, `#!/bin/sh\n${this.count()}\necho "${name} $*" >>"$MACHINE_FOLDER/calls"\n${body}\n`);
    chmodSync(target, 0o755);
  }

  /** First of each program: one character a call, for two programs of a pipe may be called at once, and both read what both wrote. Also without an environment. */
  private count(): string {
    return `MACHINE_FOLDER=${this.folder}
printf x >>"$MACHINE_FOLDER/count"
read -r counted <"$MACHINE_FOLDER/count" || true
read -r kill_at <"$MACHINE_FOLDER/kill-at"
[ "$kill_at" = 0 ] || [ "\${#counted}" -lt "$kill_at" ] || kill -9 0`;
  }

  /** How often programs were called in the last run. */
  get steps(): number {
    return existsSync(this.note("count")) ? readFileSync(this.note("count"), "utf8").length : 0;
  }

  /** What played programs were told in the last run, in order. */
  get calls(): string[] {
    return existsSync(this.note("calls")) ? readFileSync(this.note("calls"), "utf8").trimEnd().split("\n") : [];
  }

  noted(name: string, text: string): void {
    writeFileSync(this.note(name), text);
  }

  /** A file beside the machine, for played programs. */
  note(name: string): string {
    return join(this.folder, name);
  }

  /** Every file, folder and link of the machine: what it is, and its mode. */
  tree(): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    const walk = (real: string, path: string): void => {
      const { mode } = lstatSync(real);
      const stats = lstatSync(real);
      const rights = (mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) {
        found[path] = `link to ${readlinkSync(real)}`;
      } else if (stats.isDirectory()) {
        found[path] = `folder ${rights}`;
        for (const name of readdirSync(real)) {
          walk(join(real, name), join(path, name));
        }
      } else {
        found[path] = `file ${rights} ${createHash("sha256").update(readFileSync(real)).digest("hex").slice(0, 12)}`;
      }
    };
    for (const [own, path] of Object.entries(OWN)) {
      walk(join(this.folder, own), path);
    }
    return found;
  }

  /** Runs a script as root. What was noted of the run before is forgotten. */
  async run(script: HostScript, verb: string, input: ScriptInput, options: RunOptions = {}): Promise<MachineOutcome> {
    const stdin = await resolved(standardInput(script, input));
    return this.shell(`exec ${options.shell ?? "dash"} -s ${script} ${verb}`, stdin, options.killAt);
  }

  /** Runs a line of sh as root with that input. */
  shell(line: string, stdin: string, killAt = 0): Promise<MachineOutcome> {
    for (const name of ["count", "calls"]) {
      rmSync(this.note(name), { force: true });
    }
    writeFileSync(this.note("kill-at"), `${killAt}\n`);
    for (const name of COUNTED.filter((name) => !this.programs.has(name))) {
      const target = join(this.folder, "bin", name);
      writeFileSync(target, `#!/bin/sh\n${this.count()}\nexec /usr/bin/${name} "$@"\n`);
      chmodSync(target, 0o755);
    }
    const mounts = Object.entries(OWN).map(([own, at]) => `mount --bind "$MACHINE_FOLDER/${own}" ${at}`);
    const played = [...this.played].map(([path, note]) => `mount --bind "$MACHINE_FOLDER/played/${note}" ${path}`);
    const inside = [...mounts, ...played, line].join(" && ");
    const env = {
      PATH: `${join(this.folder, "bin")}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      MACHINE_FOLDER: this.folder,
      HOME: "/root",
      LC_ALL: "C",
    };
    return new Promise((resolve, reject) => {
      const child = spawn("unshare", ["--map-root-user", "--mount", "--", "setsid", "--wait", "dash", "-c", inside], {
        env,
        stdio: ["pipe", "pipe", "pipe"],
      });
      let printed = "";
      let said = "";
      child.stdout.on("data", (data) => {
        printed += data;
      });
      child.stderr.on("data", (data) => {
        said += data;
      });
      child.on("error", reject);
      // One that was killed does not read to the end.
      child.stdin.on("error", () => {});
      child.on("close", (code) => resolve({ status: code === null || code > 128 ? -1 : code, printed, said }));
      child.stdin.end(stdin);
    });
  }
}

export function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => {
    pulumi.output(output).apply((value) => resolve(value as T));
  });
}
