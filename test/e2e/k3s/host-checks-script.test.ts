import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine, type MachineOutcome, SHELLS } from "./machine";

const TIMEOUT_MS = 120_000;

/** A plan for two RTX 4090 on a machine like most. */
const VALUES = {
  ENVIRONMENT: "edge-test",
  NODE: "workstation",
  MACHINE: "x86_64",
  PRODUCTION: "yes",
  VERSION: "v1.36.4+k3s1",
  BINARY_URL: "https://example.com/k3s",
  BINARY_SHA256: "0".repeat(64),
  BUNDLE: "",
  BUNDLE_SHA256: "",
  BUNDLE_COPY: "rsync --archive /srv/bundle/ ops@box:/srv/bundle/",
  POOL: "workstation",
  VCPUS: "32",
  MEMORY_GIB: "128",
  DISK_GB: "2000",
  GPU_VENDOR: "nvidia",
  GPU_MODEL: "RTX 4090",
  GPU_NAMES: "NVIDIA GeForce RTX 4090",
  GPU_GFX_VERSION: "",
  GPU_COUNT: "2",
  GPU_MEMORY_GIB: "24",
  MINIMUM_DRIVER: "580",
  MINIMUM_DRIVER_BECAUSE: "CUDA 13 in docker.io/vllm/vllm-openai:v0.33.0",
  CARDS: "rtx-4090, rtx-5090",
};

const NO_SOCKETS = "  sl  local_address rem_address   st\n";

// As Linux 6.18 listed them on 2026-11-24 after `ip route add` of each, names and addresses changed.
const IPV4_HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT";
const DEFAULT_IPV4 = "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0";
const LAN_IPV4 = "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0";
const ANY = "0".repeat(32);
const GATEWAY = "fd000000000000000000000000000001";
const ipv6Default = (gateway: string, flags: string, device: string): string =>
  `${ANY} 00 ${ANY} 00 ${gateway} 00000400 00000002 00000000 ${flags} ${device.padStart(8)}`;
/** Every machine with IPv6 has this one: what nothing else leads to is unreachable. */
const UNREACHABLE = `${ANY} 00 ${ANY} 00 ${ANY} ffffffff 00000001 00000000 00200200       lo`;
const LOOPBACK = `${"0".repeat(31)}1 80 ${ANY} 00 ${ANY} 00000000 00000004 00000000 80200001       lo`;
const LAN_IPV6 = `fd${"0".repeat(30)} 40 ${ANY} 00 ${ANY} 00000100 00000001 00000000 00000001     eth0`;
const NO_ROUTE =
  "it has no default route, without which k3s finds no address for its node. Add one; without internet: ip link add dummy0 type dummy && ip link set dummy0 up && ip route add default dev dummy0 metric 1000, kept over boots";

const CARD = "NVIDIA GeForce RTX 4090, 580.95.05, 24564";

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  machine.write("/run/systemd/system/.keep", "");
  machine.program("uname", `case $1 in -m) echo x86_64 ;; -r) echo 6.8.0-40-generic ;; esac`);
  machine.program("systemctl", "false");
  machine.program("timedatectl", "echo yes");
  machine.program("getenforce", "echo Disabled");
  machine.program("modprobe");
  machine.program("nproc", "echo 32");
  machine.program("ufw", "echo Status: inactive");
  machine.program("curl");
  machine.program("findmnt", `case "$*" in *FSTYPE*) echo ext4 ;; *) echo /dev/mapper/vg-root ;; esac`);
  machine.program("readlink", `case $2 in /dev/mapper/*) echo /dev/dm-1 ;; *) echo "$2" ;; esac`);
  machine.program(
    "df",
    `printf 'Filesystem 1024-blocks Used Available Capacity Mounted on\\n/dev/dm-1 1920000000 20000000 1900000000 2%% /\\n'`,
  );
  machine.program("nvidia-smi", `echo "${CARD}"\necho "${CARD}"`);
  machine.program("nvidia-container-runtime");
  machine.kernelFile("/proc/swaps", "Filename\tType\n/dev/zram0 partition 1 0 5\n");
  machine.kernelFile("/proc/meminfo", "MemTotal:       131600000 kB\n");
  machine.write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
  // /proc/net is of each process, which only the process itself can hide.
  machine.program(
    "cat",
    `case "$*" in "/proc/net/tcp /proc/net/tcp6") exec /usr/bin/cat "$MACHINE_FOLDER/sockets" ;; esac\nexec /usr/bin/cat "$@"`,
  );
  machine.program(
    "grep",
    `for last; do :; done\ncase $last in /proc/net/route | /proc/net/ipv6_route) exec /usr/bin/grep "$1" "$2" "$MACHINE_FOLDER/\${last##*/}" ;; esac\nexec /usr/bin/grep "$@"`,
  );
  routes([DEFAULT_IPV4], [UNREACHABLE]);
  machine.noted("sockets", NO_SOCKETS);
  disks({
    "dm-1/dm/uuid": "LVM-x",
    "dm-1/slaves/dm-0": "",
    "dm-0/dm/uuid": "CRYPT-LUKS2-x",
    "dm-0/slaves/nvme0n1p3": "",
    "nvme0n1p3/partition": "3",
  });
});
afterEach(() => machine.remove());

function disks(files: Readonly<Record<string, string>>): void {
  rmSync(machine.path("/sys/class/block"), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    machine.write(`/sys/class/block/${path}`, text);
  }
}

/** What the kernel lists. */
function routes(ipv4: readonly string[], ipv6: readonly string[]): void {
  machine.noted("route", [IPV4_HEAD, ...ipv4, ""].join("\n"));
  machine.noted("ipv6_route", [...ipv6, ""].join("\n"));
}

function check(values: Partial<typeof VALUES> = {}, shell: (typeof SHELLS)[number] = "dash"): Promise<MachineOutcome> {
  return machine.run("host-checks", "check", { values: { ...VALUES, ...values } }, { shell });
}

describe.each(SHELLS)("a machine that is fit, in %s", (shell) => {
  it("is told as one line of JSON, and nothing is written on it", { timeout: TIMEOUT_MS }, async () => {
    const before = machine.tree();
    const { status, printed, said } = await check({}, shell);
    expect(said).toBe("looking at workstation\n");
    expect(printed).toBe('{"machine":"x86_64","deviceGroups":[]}\n');
    expect(status).toBe(0);
    expect(machine.tree()).toEqual(before);
  });
});

describe("a machine with a default route", () => {
  it.each([
    ["of IPv4", [DEFAULT_IPV4], []],
    ["of IPv4 to a device alone", ["dummy0\t00000000\t00000000\t0001\t0\t0\t1000\t00000000\t0\t0\t0"], []],
    ["of IPv6", [LAN_IPV4], [LAN_IPV6, ipv6Default(GATEWAY, "00000003", "eth0"), UNREACHABLE]],
    ["of IPv6 by a device like lo", [], [ipv6Default(GATEWAY, "00000003", "lan0"), LOOPBACK, UNREACHABLE]],
    ["of IPv6 by a device with a long name", [], [ipv6Default(GATEWAY, "00450003", "enp65s0f0np0"), UNREACHABLE]],
  ])("%s is taken", { timeout: TIMEOUT_MS }, async (_, ipv4, ipv6) => {
    routes(ipv4, ipv6);
    expect(await check()).toMatchObject({ status: 0, said: "looking at workstation\n" });
  });
});

interface Case {
  readonly name: string;
  readonly values?: Partial<typeof VALUES>;
  readonly given?: () => void;
  readonly says: string;
}

const REMEDY =
  "Encrypt it (LUKS, when the system is installed; or an encrypted disk mounted at /var/lib/rancher). A disk that encrypts by itself cannot be seen from here";
const DRIVER = "a driver of 580 or newer (CUDA 13 in docker.io/vllm/vllm-openai:v0.33.0)";

const CASES: readonly Case[] = [
  {
    name: "another architecture",
    values: { MACHINE: "aarch64" },
    says: "it is x86_64, and the plan is for aarch64. Set pools.workstation.node.cpuArch to what it is, or name another machine in cluster.hosts",
  },
  {
    name: "fewer CPUs",
    values: { VCPUS: "64" },
    says: "it has 32 CPU threads, and the plan counts on 64. Set pools.workstation.node.vcpus to what it has",
  },
  {
    name: "less memory",
    values: { MEMORY_GIB: "256" },
    says: "it has 125 GiB of memory, and the plan counts on 256. Set pools.workstation.node.memoryGiB to what it has",
  },
  {
    name: "a smaller disk",
    values: { DISK_GB: "4000" },
    says: "the disk under /var/lib has 1966 GB, and the plan counts on 4000. Mount a larger one at /var/lib/rancher, or set pools.workstation.node.localNvmeGB to what it has",
  },
  {
    name: "an old kernel",
    given: () => machine.program("uname", "case $1 in -m) echo x86_64 ;; -r) echo 5.4.0-150-generic ;; esac"),
    says: "its kernel is 5.4.0-150-generic. Kubernetes needs 5.8 or newer: update the distribution",
  },
  {
    name: "no memory controller",
    given: () => machine.write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu pids\n"),
    says: "its cgroups cannot limit memory. Start its kernel with cgroup_enable=memory cgroup_memory=1, and without cgroup_disable",
  },
  {
    name: "no cgroup v2",
    given: () => rmSync(machine.path("/sys/fs/cgroup/cgroup.controllers")),
    says: "it has no cgroup v2. Start its kernel with systemd.unified_cgroup_hierarchy=1, or update the distribution",
  },
  {
    name: "no systemd",
    given: () => rmSync(machine.path("/run/systemd"), { recursive: true }),
    says: "systemd does not run it. k3s is started by systemd here: use a distribution that has it (Debian, Ubuntu, RHEL, SLES and their like)",
  },
  {
    name: "SELinux without rules",
    given: () => {
      machine.program("getenforce", "echo Enforcing");
      machine.program("rpm", "false");
    },
    says: "SELinux is enforcing, without the rules for k3s. Install the package k3s-selinux of rpm.rancher.io first",
  },
  {
    name: "a k3s of somebody else",
    given: () => machine.write("/etc/rancher/k3s/k3s.yaml", "x"),
    says: "it has a k3s, or settings or data of one, that were not made from here (/etc/rancher/k3s/k3s.yaml): take it as it is (cluster.provision: existing, without hosts), or remove it with its data (k3s-uninstall.sh, or k3s-agent-uninstall.sh)",
  },
  {
    name: "the node of another environment",
    given: () => {
      machine.write("/etc/inference-stacks/k3s/owner", "edge-other\n");
      machine.write("/etc/inference-stacks/k3s/node", "workstation\n");
    },
    says: "it is the node of the environment edge-other: end that first (pulumi destroy -s edge-other), or name another machine in cluster.hosts.workstation.address",
  },
  {
    name: "swap on a disk",
    given: () => machine.kernelFile("/proc/swaps", "Filename\tType\n/dev/sda2 partition 1 0 5\n"),
    says: "it swaps to /dev/sda2. What pods have in memory, Secrets too, may get onto that disk: swapoff --all, and take it out of /etc/fstab",
  },
  {
    name: "a port that is taken",
    given: () =>
      machine.noted(
        "sockets",
        `${NO_SOCKETS}   0: 00000000:192B 00000000:0000 0A 00000000:00000000 00:00000000 0 0 1\n`,
      ),
    says: "port 6443 is taken. k3s, or the gateway on it, needs it: end what listens there (ss -ltnp), or name another machine in cluster.hosts",
  },
  {
    name: "no route, though IPv6 knows an unreachable one",
    given: () => routes([LAN_IPV4], [LAN_IPV6, LOOPBACK, UNREACHABLE]),
    says: NO_ROUTE,
  },
  {
    name: "no route, where there is no IPv6",
    given: () => routes([], []),
    says: NO_ROUTE,
  },
  {
    name: "a route of IPv6 that names a device alone, which Kubernetes does not take",
    given: () => routes([], [ipv6Default(ANY, "00000001", "dummy0"), UNREACHABLE]),
    says: NO_ROUTE,
  },
  {
    name: "a clear disk",
    given: () => disks({ "dm-1/slaves/nvme0n1p3": "", "dm-1/dm/uuid": "LVM-x", "nvme0n1p3/partition": "3" }),
    says: `the disk under /var/lib (/dev/mapper/vg-root) is not encrypted. ${REMEDY}`,
  },
  {
    name: "an array of which one disk is clear",
    given: () => disks({ "dm-1/slaves/dm-0": "", "dm-1/slaves/sda1": "", "dm-0/dm/uuid": "CRYPT-LUKS2-x" }),
    says: `the disk under /var/lib (/dev/mapper/vg-root) is not encrypted. ${REMEDY}`,
  },
  {
    name: "dm-verity, which hides nothing",
    given: () => disks({ "dm-1/dm/uuid": "CRYPT-VERITY-x", "dm-1/slaves/sda1": "" }),
    says: `the disk under /var/lib (/dev/mapper/vg-root) is not encrypted. ${REMEDY}`,
  },
  {
    name: "a disk that nobody can look at",
    given: () => disks({}),
    says: `whether /dev/mapper/vg-root (ext4) under /var/lib is encrypted cannot be told. ${REMEDY}`,
  },
  {
    name: "ZFS in clear",
    given: () => {
      machine.program("findmnt", `case "$*" in *FSTYPE*) echo zfs ;; *) echo rpool/var ;; esac`);
      machine.program("zfs", "echo off");
    },
    says: `the ZFS dataset rpool/var under /var/lib is not encrypted. ${REMEDY}`,
  },
  {
    name: "no download",
    given: () => machine.program("curl", "exit 6"),
    says: "it does not reach https://example.com/k3s. Let it, give it a proxy (https_proxy in /etc/environment), or bring everything along: npm run bundle, and cluster.k3s.bundle",
  },
  {
    name: "no bundle",
    values: { BUNDLE: "/srv/bundle" },
    says: "the bundle /srv/bundle is not on it, or not all of it. Copy it there: rsync --archive /srv/bundle/ ops@box:/srv/bundle/",
  },
  {
    name: "another bundle",
    values: { BUNDLE: "/srv/bundle", BUNDLE_SHA256: "1".repeat(64) },
    given: () => machine.write("/srv/bundle/bundle.json", "{}"),
    says: "the bundle /srv/bundle on it is another one than here. Copy this one there: rsync --archive /srv/bundle/ ops@box:/srv/bundle/",
  },
  {
    name: "no driver",
    given: () => machine.program("nvidia-smi", "echo NVIDIA-SMI has failed >&2; exit 9"),
    says: `its NVIDIA driver does not answer: NVIDIA-SMI has failed. Restart the machine; if it stays so, the driver is not for this kernel, or Secure Boot refuses it: install ${DRIVER} anew`,
  },
  {
    name: "an old driver",
    given: () =>
      machine.program("nvidia-smi", `for i in 1 2; do echo "${CARD.replace("580.95.05", "570.86.10")}"; done`),
    says: `its NVIDIA driver is 570.86.10. Install ${DRIVER}`,
  },
  {
    name: "other cards",
    given: () => machine.program("nvidia-smi", `echo "${CARD}"; echo "NVIDIA GeForce GTX 1080, 580.95.05, 8192"`),
    says: "it has 1 of 2 cards RTX 4090 (it has: NVIDIA GeForce GTX 1080). Set pools.workstation.node.card and gpuCount to what it has. Cards that work: rtx-4090, rtx-5090",
  },
  {
    name: "no card at all of AMD",
    values: { GPU_VENDOR: "amd" },
    says: "it has no driver for AMD cards: /dev/kfd is not there. Load the kernel's amdgpu (modprobe amdgpu), or install AMD's amdgpu-dkms, and restart the machine",
  },
];

describe("a machine that is not fit", () => {
  it.each(CASES)(
    "is refused for $name, with what mends it",
    { timeout: TIMEOUT_MS },
    async ({ values, given, says }) => {
      given?.();
      const before = machine.tree();
      const { status, printed, said } = await check(values);
      expect(said).toBe(
        `looking at workstation\nworkstation is not ready, and nothing was written on it:\n- ${says}\n`,
      );
      expect({ status, printed }).toEqual({ status: 1, printed: "" });
      expect(machine.tree()).toEqual(before);
    },
  );

  it("is told everything at once", { timeout: TIMEOUT_MS }, async () => {
    machine.program("nvidia-smi", "exit 9");
    const { said } = await check({ MACHINE: "aarch64", VCPUS: "64" });
    expect(said.match(/^- /gm)).toHaveLength(3);
  });

  it("is taken in development where its disk is clear, with a word", { timeout: TIMEOUT_MS }, async () => {
    disks({ "dm-1/slaves/nvme0n1p3": "" });
    const { status, said } = await check({ PRODUCTION: "" });
    expect(said).toBe(
      `looking at workstation\nnote: the disk under /var/lib (/dev/mapper/vg-root) is not encrypted. ${REMEDY}\n`,
    );
    expect(status).toBe(0);
  });
});
