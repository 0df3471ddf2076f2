import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { requirePart } from "../../parts/find";
import { Program } from "../lifeline";
import { NameServer } from "./name-server";

/** Address pool: reserved for network tests (RFC 2544), so unused elsewhere. */
const POOL = ["198.18", "198.19"] as const;
/** Last octets: this machine, then pods, then local Services. */
const MACHINE = 1;
const FIRST_POD = 2;
const FIRST_SERVICE = 100;
const LAST = 254;

/** Prints its process id and holds its network namespace until killed. */
const HOLD = ["--net", "/bin/sh", "-c", "echo $$; exec sleep infinity"] as const;

/**
 * Pod network of one cluster on this machine. Each pod has a network namespace and address, so
 * ports may repeat. This machine has an address, further ones for simulated Services, and a name
 * server.
 *
 * Requires root and Linux namespaces. Ends with this process: child programs hold the namespaces.
 */
export class PodNetwork {
  private pods = FIRST_POD;
  private services = FIRST_SERVICE;

  private constructor(
    readonly folder: string,
    /** First three octets of all addresses. */
    private readonly prefix: string,
    /** Interface of this machine. */
    private readonly link: string,
    private readonly bridge: Program,
    private readonly bridgePid: string,
    readonly names: NameServer,
  ) {}

  /** @throws Error with the cause and fix if unavailable. */
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

  /** Address of this machine for pods. */
  get address(): string {
    return `${this.prefix}.${MACHINE}`;
  }

  /** Adds a named address of this machine, where a test may use any port. */
  async serviceAddress(name: string): Promise<string> {
    const address = `${this.prefix}.${next(this.services++, LAST)}`;
    await ip("address", "add", `${address}/32`, "dev", this.link);
    this.names.set(name, [...this.names.addresses(name), address]);
    return address;
  }

  /** Creates a network namespace with an address, until its holder stops. */
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

  /** Disconnects a pod: packets are lost in both directions, as with an unplugged cable. */
  async cut(address: string): Promise<void> {
    await inNamespace(this.bridgePid, "link", "set", portOf(Number(address.split(".").at(-1))), "nomaster");
  }

  async stop(): Promise<void> {
    await this.names.stop();
    await this.bridge.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Bridge end of a pod's link.
 * @param number last octet of the pod's address.
 */
function portOf(number: number): string {
  return `pod${number}`;
}

/** @throws Error if namespaces are unavailable. */
function requireNamespaces(): void {
  const wayOut = "Run it as root on Linux, in a container with --privileged.";
  if (process.platform !== "linux") {
    throw new Error(`pods take network namespaces, which ${process.platform} lacks. ${wayOut}`);
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

/** Unused prefix of the pool on this machine. */
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

/** Process id that a program prints first. */
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
