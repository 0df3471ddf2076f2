import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { requirePart } from "../../parts/find";
import { Program } from "../lifeline";
import { NameServer } from "./name-server";

/** Where addresses are taken from: set aside for tests between networks (RFC 2544), so no network has them. */
const POOL = ["198.18", "198.19"] as const;
/** Last octets: this machine's own, then those of pods, then those of Services that this machine serves. */
const MACHINE = 1;
const FIRST_POD = 2;
const FIRST_SERVICE = 100;
const LAST = 254;

/** Prints its process id, and holds its network namespace until it is killed. */
const HOLD = ["--net", "/bin/sh", "-c", "echo $$; exec sleep infinity"] as const;

/**
 * The network of one cluster's pods on this machine: each pod has a network namespace and an address of its own, as a
 * CNI plugin gives it, so two of them may listen on the same port. This machine has an address on it too, and further
 * ones, each for a Service that a test plays; a name server there knows the names.
 *
 * It takes a machine with Linux namespaces, and root. All of it goes with this process: the namespaces are held by
 * programs that end with it, and the links between them end with the namespaces.
 */
export class PodNetwork {
  private pods = FIRST_POD;
  private services = FIRST_SERVICE;

  private constructor(
    readonly folder: string,
    /** First three octets of all addresses. */
    private readonly prefix: string,
    /** The interface of this machine. */
    private readonly link: string,
    private readonly bridge: Program,
    private readonly bridgePid: string,
    readonly names: NameServer,
  ) {}

  /** @throws Error that says why there is none here, and what to do. */
  static async start(): Promise<PodNetwork> {
    requireNamespaces();
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-pods-"));
    const bridge = new Program("unshare", HOLD, join(folder, "network.log"), { folder });
    try {
      const pid = await processId(bridge);
      const prefix = freePrefix();
      const link = `is${randomInt(2 ** 40).toString(36)}`;
      await ip("link", "add", link, "type", "veth", "peer", "name", "machine", "netns", pid);
      await inNamespace(pid, "link", "add", "pods", "type", "bridge");
      await inNamespace(pid, "link", "set", "machine", "master", "pods", "up");
      await inNamespace(pid, "link", "set", "pods", "up");
      await ip("address", "add", `${prefix}.${MACHINE}/24`, "dev", link);
      await ip("link", "set", link, "up");
      const names = await NameServer.start(`${prefix}.${MACHINE}`);
      return new PodNetwork(folder, prefix, link, bridge, pid, names);
    } catch (error) {
      await bridge.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Address of this machine, as pods reach it. */
  get address(): string {
    return `${this.prefix}.${MACHINE}`;
  }

  /** A further address of this machine, where a test may listen on any port, with a name that pods know it by. */
  async serviceAddress(name: string): Promise<string> {
    const address = `${this.prefix}.${next(this.services++, LAST)}`;
    await ip("address", "add", `${address}/32`, "dev", this.link);
    this.names.set(name, [...this.names.addresses(name), address]);
    return address;
  }

  /** A network namespace with an address, until its holder is stopped. */
  async addPod(log: string): Promise<{ readonly holder: Program; readonly pid: string; readonly address: string }> {
    const number = next(this.pods++, FIRST_SERVICE - 1);
    const address = `${this.prefix}.${number}`;
    const holder = new Program("unshare", HOLD, log);
    const pid = await processId(holder);
    const port = portOf(number);
    await inNamespace(this.bridgePid, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", pid);
    await inNamespace(this.bridgePid, "link", "set", port, "master", "pods", "up");
    await inNamespace(pid, "address", "add", `${address}/24`, "dev", "eth0");
    await inNamespace(pid, "link", "set", "lo", "up");
    await inNamespace(pid, "link", "set", "eth0", "up");
    return { holder, pid, address };
  }

  /** Cuts a pod off: what it sends and what others send to it is lost without an answer, as where a cable is pulled. */
  async cut(address: string): Promise<void> {
    await inNamespace(this.bridgePid, "link", "set", portOf(Number(address.split(".").at(-1))), "nomaster");
  }

  async stop(): Promise<void> {
    await this.names.stop();
    await this.bridge.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The end on the bridge of a pod's link. @param number last octet of the pod's address. */
function portOf(number: number): string {
  return `pod${number}`;
}

/** @throws Error where no namespace can be made here. */
function requireNamespaces(): void {
  const wayOut = "Run it as root on Linux, in a container with --privileged.";
  if (process.platform !== "linux") {
    throw new Error(`pods take network namespaces, which ${process.platform} has not. ${wayOut}`);
  }
  if (process.getuid?.() !== 0) {
    throw new Error(`pods take network and mount namespaces, which only root may make here. ${wayOut}`);
  }
}

function next(number: number, last: number): number {
  if (number > last) {
    throw new Error(`the network of pods has no address left after its ${last}th`);
  }
  return number;
}

/** Three octets of the pool that no interface of this machine has. */
function freePrefix(): string {
  const taken = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  const all = POOL.flatMap((start) => Array.from({ length: 256 }, (_, third) => `${start}.${third}`));
  const free = all.filter((prefix) => !taken.some((address) => address.startsWith(`${prefix}.`)));
  const prefix = free[randomInt(free.length)];
  if (prefix === undefined) {
    throw new Error(`every network of ${POOL.join(" and ")} is taken`);
  }
  return prefix;
}

/** The process that a program became, which it prints first. */
async function processId(program: Program): Promise<string> {
  return program.ready(async () => /^\d+$/m.exec(program.output())?.[0]);
}

async function ip(...args: readonly string[]): Promise<void> {
  await run(requirePart("ip"), args);
}

async function inNamespace(pid: string, ...args: readonly string[]): Promise<void> {
  await run("nsenter", [`--net=/proc/${pid}/ns/net`, requirePart("ip"), ...args]);
}

async function run(command: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args).catch((error: NodeJS.ErrnoException & { readonly stderr?: string }) => {
    const why = error.code === "ENOENT" ? `there is no ${command} here` : error.stderr?.trim();
    const wayOut = "It takes root, util-linux, and in a container --privileged.";
    throw new Error(`the network of pods: ${command} ${args.join(" ")}: ${why}. ${wayOut}`);
  });
}
