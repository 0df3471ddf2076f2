import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { K3S_VERSION } from "../../../../catalog/k3s";
import type { KubernetesObject } from "../../../../kubernetes/object";
import { Authority } from "../../../../rehearsal/cluster/authority";
import type { ControlPlane } from "../../../../rehearsal/cluster/control-plane";
import { accessOf, kubeconfigOf } from "../../../../rehearsal/cluster/kubeconfig";
import { PodNetwork } from "../../../../rehearsal/cluster/kubelet/network";
import { Program } from "../../../../rehearsal/cluster/lifeline";
import { requirePart } from "../../../../rehearsal/parts/find";
import { Downloads } from "./downloads";
import { type MachineKeys, USER, writeImage } from "./image";

export interface MachineOptions {
  /** Of the user who logs in. @default sudo asks for none, and only the key logs in */
  readonly password?: string;
  /** Opens the key that logs in. @default that key is not encrypted */
  readonly passphrase?: string;
  /** Files that it has, or has other than this machine, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A machine of one's own, as SSH finds it: mounts, processes and a network of its own on this one, and a real SSH server. */
export class Machine {
  readonly user = USER;
  private readonly programs: Program[] = [];

  private constructor(
    /** Its IPv4 address. */
    readonly address: string,
    readonly keys: MachineKeys,
    readonly network: PodNetwork,
    readonly downloads: Downloads,
    private readonly folder: string,
    private readonly init: Program,
    private readonly pid: string,
    private readonly holder: Program,
    /** What its user is asked for besides the key, where it is. */
    readonly secrets: Pick<MachineOptions, "password" | "passphrase">,
  ) {}

  /** @throws Error that says what is missing on this machine. */
  static async start({ password, passphrase, files }: MachineOptions = {}): Promise<Machine> {
    requirePart("sshd");
    requirePart("sudo");
    const network = await PodNetwork.start();
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-machine-"));
    try {
      for (const name of ["image", "parts", "log", "disk"]) {
        mkdirSync(join(folder, name));
      }
      // Whoever logs in notes commands there.
      chmodSync(join(folder, "log"), 0o777);
      const serving = await network.serviceAddress(Downloads.names[0] ?? "");
      for (const name of Downloads.names) {
        network.names.set(name, [serving]);
      }
      const downloads = await Downloads.start(serving);
      const image = join(folder, "image");
      const keys = writeImage(image, {
        nameServer: network.address,
        authority: downloads.certificate,
        password,
        passphrase,
        files,
      });
      const { holder, pid: namespace, address } = await network.addPod(join(folder, "network.log"));
      // As every machine has one: k3s takes its address from there. It leads to this machine, which passes nothing on.
      const route = [requirePart("ip"), "route", "add", "default", "via", network.address];
      execFileSync("nsenter", [`--net=/proc/${namespace}/ns/net`, ...route]);
      for (const part of ["node", "kubectl"]) {
        writeFileSync(join(folder, "parts", part), "");
      }
      // Whoever asks what process 1 is called is told that it is systemd.
      symlinkSync("/bin/sh", join(folder, "systemd"));
      const init = new Program(
        "nsenter",
        [
          `--net=/proc/${namespace}/ns/net`,
          ...["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child"],
          ...[join(folder, "systemd"), join(__dirname, "boot.sh"), folder],
        ],
        join(folder, "boot.log"),
        { env: { NODE: process.execPath, KUBECTL: requirePart("kubectl") }, folder },
      );
      const pid = await init.ready(async () => {
        return init.output().includes("Server listening on 0.0.0.0")
          ? /^pid (\d+)$/m.exec(init.output())?.[1]
          : undefined;
      });
      const secrets = { ...(password && { password }), ...(passphrase && { passphrase }) };
      return new Machine(address, keys, network, downloads, folder, init, pid, holder, secrets);
    } catch (error) {
      await network.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Gives it the cluster that its k3s turns out to be, and the node that registers there, whose name is `@NODE@`. */
  join(plane: ControlPlane, node: KubernetesObject): void {
    const parts = join(this.folder, "parts");
    const access = accessOf(readFileSync(plane.kubeconfig, "utf8"));
    const kubeconfig = JSON.parse(kubeconfigOf({ ...access, address: "127.0.0.1", port: 6443 }));
    // The server's certificate is for where it listens.
    kubeconfig.clusters[0].cluster["tls-server-name"] = access.address;
    // As that of k3s has them; what opens this cluster is the token.
    Object.assign(kubeconfig.users[0].user, clientCertificate());
    const write = (name: string, content: string): void => writeFileSync(join(parts, name), content, { mode: 0o600 });
    write("kubeconfig", JSON.stringify(kubeconfig));
    write("ca.crt", access.ca);
    write("token", "K10token-of-the-cluster::server:secret\n");
    write("node.json", JSON.stringify(node));
    write("version", K3S_VERSION);
    write("api-server", `${access.address} ${access.port}`);
    write("relay.cjs", readFileSync(join(__dirname, "relay.cjs"), "utf8"));
  }

  /** Starts another program of this machine's, which ends with it. */
  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const program = new Program(command, args, join(this.folder, `program-${this.programs.length}.log`), { env });
    this.programs.push(program);
    return program;
  }

  /** A folder that goes with it. */
  newFolder(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    return folder;
  }

  /** While it is held, k3s runs and its node does not come, or its kubectl does not say who the cluster is. */
  hold(what: "node" | "identity", held: boolean): void {
    const file = join(this.folder, "parts", `hold-${what}`);
    if (held) {
      writeFileSync(file, "");
    } else {
      rmSync(file, { force: true });
    }
  }

  /** Commands that were run over SSH, in their order. */
  commands(): string[] {
    return this.log("commands")
      .split("\n")
      .filter((line) => line !== "");
  }

  /** What it noted: `commands`, `sudo`, `systemctl`, `sysctl`, `k3s.log`; empty where it noted nothing. */
  log(name: string): string {
    const file = join(this.folder, "log", name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** What its SSH server noted. */
  get sshLog(): string {
    return this.init.output();
  }

  /** All that it noted, and what its SSH server printed, by name. */
  logs(): Map<string, string> {
    const names = readdirSync(join(this.folder, "log"));
    return new Map([["sshd", this.sshLog], ...names.map((name) => [name, this.log(name)] as const)]);
  }

  /** What was written to its disk since it was started: by path, what is there now. */
  written(): Map<string, string> {
    return new Map([...this.below("upper", "", about), ...this.below("temporary", "/tmp", about)]);
  }

  /** The same as it reads, and what is in its memory under /run, but for the files of the test bed. */
  contents(): Map<string, string> {
    return new Map([
      ...this.below("upper", "", textOf),
      ...this.below("temporary", "/tmp", textOf),
      ...this.below("root/run", "/run", textOf),
    ]);
  }

  /** What is in a file of it; undefined where there is none. */
  read(path: string): string | undefined {
    const file = join(this.disk, "root", path);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** Gives a file of it this content, as its owner does between two installations; undefined: removes it. */
  change(path: string, content: string | undefined): void {
    const file = join(this.disk, "root", path);
    if (content === undefined) {
      rmSync(file);
    } else {
      writeFileSync(file, content, { mode: /\/s?bin\//.test(path) ? 0o755 : 0o644 });
    }
  }

  /** Starts a program of somebody else's on it, which takes that port until it is stopped. */
  listen(port: number): Promise<Program> {
    return this.serve(`require("node:net").createServer().listen(${port}, () => console.log("listens"))`);
  }

  /** Starts a Node program on it, which prints `listens` once it does. */
  async serve(script: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const own = ["--target", this.pid, "--net", "--pid", process.execPath, "-e", script];
    const program = this.run("nsenter", own, env);
    await program.ready(async () => program.output().includes("listens") || undefined);
    return program;
  }

  /** A file of its network namespace: `snmp`, `snmp6`, `netstat`. */
  networkFile(name: string): string {
    return readFileSync(`/proc/${this.pid}/net/${name}`, "utf8");
  }

  /** Runs a command of its own on it to its end, as its administrator. */
  async command(...words: readonly string[]): Promise<void> {
    const own = ["--target", this.pid, "--net", "--pid", "--mount", `--root=${join(this.disk, "root")}`];
    await new Promise((resolve) => execFile("nsenter", [...own, "--wd=/", ...words], resolve));
  }

  /** Ends the connections of everyone who is logged in, and all that they run. */
  killSessions(): void {
    for (const pid of this.processes()) {
      if (/^sshd: (?!\/usr)/.test(this.commandLine(pid)) || / sh -s |^sh -s /.test(this.commandLine(pid))) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It ended by itself.
        }
      }
    }
  }

  /** Command lines and environments of all that runs on it now. */
  processList(): string {
    return this.processes()
      .flatMap((pid) => [this.commandLine(pid), this.proc(pid, "environ")])
      .join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
    await this.init.stop();
    await this.holder.stop();
    await this.downloads.stop();
    await this.network.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** As the first process sees it, which keeps this machine's own root. */
  private get disk(): string {
    return join(`/proc/${this.pid}/root`, this.folder, "disk");
  }

  private below(layer: string, prefix: string, read: (file: string) => string): [string, string][] {
    const root = join(this.disk, layer);
    return filesBelow(root)
      .map((file) => [`${prefix}${file.slice(root.length)}`, file] as const)
      .filter(([path]) => !OF_TEST_BED.some((folder) => path.startsWith(folder)))
      .map(([path, file]) => [path, read(file)]);
  }

  private processes(): string[] {
    const namespace = this.namespaceOf(this.pid);
    return readdirSync("/proc").filter((pid) => {
      return /^\d+$/.test(pid) && pid !== this.pid && this.namespaceOf(pid) === namespace;
    });
  }

  private namespaceOf(pid: string): string | undefined {
    try {
      return readlinkSync(`/proc/${pid}/ns/pid`);
    } catch {
      return undefined;
    }
  }

  private commandLine(pid: string): string {
    return this.proc(pid, "cmdline");
  }

  private proc(pid: string, name: string): string {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "utf8").replaceAll("\0", " ").trim();
    } catch {
      return "";
    }
  }
}

/** Folders of the machine that are the test bed's; what was noted there, `logs` tells. */
const OF_TEST_BED = ["/run/parts/", "/run/log/machine/"];

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/** What is no folder, at any depth. What the machine removes meanwhile is left out. */
function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** What is in a file; empty for what is none, and where it goes meanwhile. */
function textOf(path: string): string {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

/** A certificate of an administrator, and its key, as a kubeconfig has them. */
function clientCertificate(): Readonly<Record<string, string>> {
  const authority = new Authority();
  const holder = { commonName: "system:admin", uses: ["clientAuth"] } as const;
  const { "tls.crt": certificate, "tls.key": key } = authority.issue(["DNS:administrator"], holder);
  authority.discard();
  const data = (pem: string): string => Buffer.from(pem).toString("base64");
  return { "client-certificate-data": data(certificate), "client-key-data": data(key) };
}

/** Mode, and sum or target: what was removed of this machine's own files is a device of the layer. */
function about(path: string): string {
  const { mode } = lstatSync(path);
  const kind = (mode & 0o170000).toString(8);
  const content = kind === "100000" ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
  const target = kind === "120000" ? readlinkSync(path) : "";
  return `${mode.toString(8)} ${content}${target}`;
}
