import { describe, expect, it } from "vitest";
import type { ExportedDeployment } from "../engine/secret-search";
import { TestBed } from "../engine/test-bed";
import { sharedBySuite } from "../shared-by-suite";
import type { Machine } from "./machine/machine";

const PASSWORD = "a password of sudo";
const OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs";
const NVIDIA_SMI = "/usr/bin/nvidia-smi";
const UNAME = "/usr/bin/uname";
const X86 = "#!/bin/sh\ncase $1 in -m) echo x86_64 ;; *) cat /proc/sys/kernel/osrelease ;; esac\n";
/** What dm-crypt names the disk's mapping; without, it is one of LVM. */
const DISK = "/sys/class/block/dm-0/dm/uuid";

/** Where an SSH server and PAM note who logged in, or tried to. */
const LOGINS = ["/var/log/btmp", "/var/log/wtmp", "/var/log/lastlog"];

/** How the checks begin to say what they found; a line for each follows. */
const NOT_READY = "workstation is not ready, and nothing was written on it:";

describe("edge-nvidia on a machine that cannot become its node", { timeout: 120_000 }, () => {
  const bed = sharedBySuite(() =>
    TestBed.start(
      "edge-nvidia",
      { "inference-stacks:scope": { value: "cluster" } },
      { machine: { password: PASSWORD, files: { [UNAME]: X86 } } },
    ),
  );
  /** What `up` says in the end, once it was seen that it wrote nothing there, and that the state has nothing of a cluster. */
  async function refusal(): Promise<string> {
    const { stack, machine } = bed();
    const before = writtenOn(machine);
    const message = await stack.up().then(
      () => "it was not refused",
      (error: Error) => error.message,
    );
    expect(writtenOn(machine)).toEqual(before);
    const { resources = [] } = (await stack.exportStack()).deployment as ExportedDeployment;
    const made = resources.map(({ type }) => type).filter((type) => !type.startsWith("inference:"));
    expect(made.toSorted()).toEqual(["pulumi:providers:command", "pulumi:providers:pulumi", "pulumi:pulumi:Stack"]);
    return message;
  }

  /** The same, with a file of the machine's other than it is, or gone: undefined. */
  async function refusalWith(path: string, content: (usual: string) => string | undefined): Promise<string> {
    const usual = bed().machine.read(path) ?? "";
    bed().machine.change(path, content(usual));
    try {
      return await refusal();
    } finally {
      bed().machine.change(path, usual);
    }
  }

  /** The same, with other values of the configuration, by their names; undefined: none. */
  async function refusalWithConfig(config: Readonly<Record<string, string | undefined>>): Promise<string> {
    const { stack } = bed();
    const usual = await stack.getAllConfig();
    const full = (name: string): string => `inference-stacks:${name}`;
    for (const [name, value] of Object.entries(config)) {
      await (value === undefined
        ? stack.removeConfig(full(name))
        : stack.setConfig(full(name), { value, secret: usual[full(name)]?.secret === true }));
    }
    try {
      return await refusal();
    } finally {
      await stack.setAllConfig(usual);
    }
  }

  /** What the checks found, of what `up` says: each problem with its remedy. */
  function found(message: string): string[] {
    expect(message).toContain(NOT_READY);
    // In the end; before, each line was told as it came.
    const told = message.slice(message.lastIndexOf(NOT_READY) + NOT_READY.length).split("\n");
    const end = told.findIndex((line, index) => index > 0 && !line.trim().startsWith("- "));
    return told.slice(1, end).map((line) => line.trim().slice(2));
  }

  const during = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = bed().machine.commands().length;
    await work();
    return bed().machine.commands().slice(before);
  };

  it("is refused where it has another host key than the configuration says, before it is shown anything", async () => {
    const cluster = JSON.parse((await bed().stack.getConfig("inference-stacks:cluster")).value) as {
      readonly hosts: Readonly<Record<string, object>>;
    };
    const hosts = { workstation: { ...cluster.hosts.workstation, hostKey: OTHER_KEY } };
    const commands = await during(async () => {
      const message = await refusalWithConfig({ cluster: JSON.stringify({ ...cluster, hosts }) });
      expect(message).toContain("ssh: handshake failed: ssh: host key mismatch");
    });
    expect(commands).toEqual([]);
    expect(bed().machine.sshLog).not.toMatch(/Accepted|Failed/);
  });

  it("is refused where the password does not log in", async () => {
    const commands = await during(async () => {
      expect(await refusalWithConfig({ sshPrivateKey: undefined, sshPassword: "not that" })).toContain(
        "ssh: unable to authenticate, attempted methods [none password keyboard-interactive]",
      );
    });
    expect(commands).toEqual([]);
  });

  it("is refused where sudo does not take the password, and where it asks for one that is not set", async () => {
    const wrong = await refusalWithConfig({ sshPassword: "not that" });
    expect(wrong).toContain("sudo does not let ops become root with that password");
    expect(wrong).toContain("pulumi config set --secret inference-stacks:sshPassword");
    expect(wrong).not.toContain("not that");
    expect(await refusalWithConfig({ sshPassword: undefined })).toContain("sudo asks ops for a password");
  });

  it("is refused without a driver, with the one to install", async () => {
    expect(found(await refusalWith(NVIDIA_SMI, () => undefined))).toEqual([
      expect.stringMatching(/^it has no driver for NVIDIA cards\. Install a driver of \d+ or newer \(CUDA .*\) from/),
    ]);
  });

  it("is refused with a driver that is too old for the images of the plan", async () => {
    const old = (smi: string): string => smi.replaceAll("580.95.05", "535.230.02");
    expect(found(await refusalWith(NVIDIA_SMI, old))).toEqual([
      expect.stringMatching(
        /^its NVIDIA driver is 535\.230\.02\. Install a driver of \d+ or newer \(CUDA [\d.]+ in \S+\)$/,
      ),
    ]);
  });

  it("is refused with other cards than planned, with those that work", async () => {
    const other = (smi: string): string => smi.replaceAll("GeForce RTX 4090", "GeForce GTX 1660");
    const [problem, ...more] = found(await refusalWith(NVIDIA_SMI, other));
    expect(more).toEqual([]);
    expect(problem).toMatch(/^it has 0 of 2 cards .*\(it has: NVIDIA GeForce GTX 1660, NVIDIA GeForce GTX 1660\)/);
    expect(problem).toMatch(/Set pools\.workstation\.node\.card .*Cards that work: .*\brtx-4090\b/);
  });

  it("is refused where another program has the API's port, by its name", async () => {
    const other = await bed().machine.listen(6443);
    const problems = found(await refusal());
    await other.stop();
    expect(problems).toEqual([expect.stringMatching(/^port 6443 is taken by "[^"]+",pid=\d+\. k3s, or the gateway/)]);
  });

  it("is refused with a processor of another architecture than planned", async () => {
    const arm = (uname: string): string => uname.replace("x86_64", "aarch64");
    expect(found(await refusalWith(UNAME, arm))).toEqual([
      expect.stringMatching(/^it is aarch64, and the plan is for x86_64\. Set pools\.workstation\.node\.cpuArch/),
    ]);
  });

  it("is refused in production with a clear disk; in development that is a word, beside what is refused", async () => {
    const clear = "the disk under /var/lib (/dev/dm-0) is not encrypted";
    expect(found(await refusalWith(DISK, () => "LVM-volume"))).toEqual([expect.stringContaining(clear)]);
    bed().machine.change(DISK, "LVM-volume");
    await bed().stack.setConfig("inference-stacks:stage", { value: "development" });
    const message = await refusalWith(NVIDIA_SMI, () => undefined);
    expect(found(message)).toEqual([expect.stringContaining("it has no driver for NVIDIA cards")]);
    expect(message).toContain(`note: ${clear}`);
  });
});

/** What was written on it, by path, but for who logged in. */
function writtenOn(machine: Machine): Map<string, string> {
  return new Map([...machine.written()].filter(([path]) => !LOGINS.includes(path)));
}
