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
    `for last; do :; done\n[ "$last" != /proc/net/route ] || [ ! -e "$MACHINE_FOLDER/no-route" ] || exit 1\nexec /usr/bin/grep "$@"`,
  );
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
