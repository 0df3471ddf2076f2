import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootFilePath } from "../../components/cluster/oke/cloud-init/boot-part";
import { NodeRoot } from "./oke/node-root";

// Files as disks: what util-linux and e2fsprogs of this machine find on them and write to them. What dm-crypt, md and mounts
// would do is played, for the kernel of a container has none of them.
const DISK = "/dev/nvme0n1";

let root: NodeRoot;
beforeEach(() => {
  root = new NodeRoot();
  root.write("/proc/self/mounts", "/dev/sda3 / xfs rw 0 0\n");
  root.program("findmnt", "exit 1");
  root.program("systemctl", "exit 3");
  for (const program of ["mount", "mdadm"]) {
    root.program(program);
  }
  // The passphrase comes through a pipe, and whoever writes it fails where nobody reads.
  root.program("cryptsetup", "cat > /dev/null");
  disk(DISK);
});
afterEach(() => root.remove());

/** Disks of 16 MiB; the first of them is what the script finds besides a boot volume. */
function disk(path: string): void {
  root.write(path, "");
  execFileSync("truncate", ["--size=16M", root.path(path)]);
  root.program(
    "lsblk",
    `case "$*" in *--nodeps*) echo "$NODE_ROOT${DISK} disk"; echo "/dev/sda disk";; *MOUNTPOINT*) echo;; esac`,
  );
}

/** The script takes a fixed name for what it opened: here that is the file. */
function fileSystems(): void {
  const mkfs = execFileSync("sh", ["-c", "command -v mkfs.ext4 || echo /usr/sbin/mkfs.ext4"], { encoding: "utf8" });
  root.program(
    "mkfs.ext4",
    `set --  $(echo "$*" | sed "s#/dev/mapper/inference-stacks#$NODE_ROOT${DISK}#"); ${mkfs.trim()} "$@"`,
  );
}

const make = () => root.run(bootFilePath("local-disks.sh"), ["make"]);
const signatures = () =>
  execFileSync("/usr/sbin/wipefs", ["--no-act", "--parsable", root.path(DISK)], { encoding: "utf8" });

describe("a disk that is a file", () => {
  it("without anything on it is taken, and gets the file system that the script asks for", async () => {
    fileSystems();
    expect(await make()).toMatchObject({ status: 0, said: expect.stringContaining("on 1 of 1 local disks") });
    expect(signatures()).toMatch(/,inference-stacks,ext4\n/);
    const features = execFileSync("/usr/sbin/dumpe2fs", ["-h", root.path(DISK)], { encoding: "utf8", stdio: "pipe" });
    expect(features).not.toContain("has_journal");
    expect(features).toContain("Reserved block count:     0");
  });

  it.each([
    ["a file system", () => execFileSync("/usr/sbin/mkfs.ext4", ["-q", "-F", root.path(DISK)])],
    [
      "a file system of our array's name",
      () => execFileSync("/usr/sbin/mkfs.ext4", ["-q", "-F", "-L", "inference-stacks", root.path(DISK)]),
    ],
    [
      "a partition table",
      () => execFileSync("/usr/sbin/sfdisk", ["--quiet", root.path(DISK)], { input: "label: gpt\n,4M\n" }),
    ],
    ["swap", () => execFileSync("/usr/sbin/mkswap", [root.path(DISK)], { stdio: "pipe" })],
  ])("with %s on it is left alone, to the byte", async (_, fill) => {
    fill();
    const before = execFileSync("sha256sum", [root.path(DISK)], { encoding: "utf8" });
    expect(await make()).toMatchObject({ status: 1, said: expect.stringContaining("not from here") });
    expect(execFileSync("sha256sum", [root.path(DISK)], { encoding: "utf8" })).toBe(before);
  });
});
