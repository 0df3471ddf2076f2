import { rmSync } from "node:fs";
import { basename } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootFilePath } from "../../../components/cluster/oke/cloud-init/boot-part";
import { NODE_CACHE_FOLDER, nodeCacheFolder } from "../../../names/node-cache";
import { NodeRoot, type ScriptOutcome } from "./node-root";

// Programs that answer as a machine's do, and note what they are told: dm-crypt and md are not in every kernel.
const KUBELET = "/var/lib/kubelet";
const KEPT = "/var/lib/inference-stacks/kubelet";

let root: NodeRoot;
beforeEach(() => {
  root = new NodeRoot();
  // What is mounted where, by a file: the array shows other files than the boot volume.
  root.write("/proc/self/mounts", "/dev/sda3 / xfs rw 0 0\n");
  root.program("findmnt", '[ -e "$NODE_ROOT/mounted" ] && echo /dev/mapper/inference-stacks || exit 1');
  root.program("mount", `case "$*" in *--bind*) ;; *) touch "$NODE_ROOT/mounted";; esac`);
  root.program("umount", 'rm -f "$NODE_ROOT/mounted"');
  root.program("systemctl", "exit 3");
  root.program("restorecon");
  for (const tool of ["mdadm", "mkfs.ext4"]) {
    root.program(tool);
  }
  root.program("cryptsetup", 'case "$1" in luksFormat|open) wc -c >>"$NODE_ROOT/key-sizes";; esac');
  disks({});
});
afterEach(() => root.remove());

interface Disk {
  /** As `wipefs --parsable` says it, after the offset and identifier: "label,type". */
  readonly signatures?: readonly string[];
  readonly mountPoint?: string;
  /** Array that the kernel made of it. */
  readonly array?: string;
}

/** Disks by name, and a boot volume. */
function disks(all: Readonly<Record<string, Disk>>): void {
  const names = Object.keys(all);
  const cases = (of: (disk: Disk) => string) =>
    Object.entries(all)
      .map(([name, disk]) => `*/dev/${name}*) printf '%b' '${of(disk)}';;`)
      .join(" ");
  const list = [...names.map((name) => `/dev/${name} disk`), "/dev/sda disk", "/dev/loop0 loop"].join("\\n");
  const arrays = Object.entries(all).flatMap(([, { array }]) => (array ? [`/dev/${array} raid0\\n`] : []));
  root.program(
    "lsblk",
    `case "$*" in
      *--nodeps*) printf '%b\\n' '${list}';;
      *MOUNTPOINT*) case "$*" in ${cases(({ mountPoint = "" }) => `${mountPoint}\\n`)} *) echo;; esac;;
      *) printf '%b' '${arrays.join("")}';;
    esac`,
  );
  root.program(
    "wipefs",
    `case "$*" in
      *--no-act*) echo "# offset,uuid,label,type"
        case "$*" in ${cases(({ signatures = [] }) => signatures.map((each) => `0x0,u-u-i-d,${each}\\n`).join(""))} *) ;; esac;;
    esac`,
  );
}

const blank = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`nvme${i}n1`, {}]));
const OURS = { signatures: ["any:inference-stacks,linux_raid_member"] };

const run = (verb: string): Promise<ScriptOutcome> => root.run(bootFilePath("local-disks.sh"), [verb]);

/** What changes a machine, in order. */
function changes({ calls }: ScriptOutcome): string[] {
  return calls.filter((call) => !/^(findmnt|lsblk|systemctl|restorecon|wipefs --no-act)/.test(call));
}

const MAKES = (device: string) => [
  `cryptsetup luksFormat --batch-mode --type luks2 --label inference-stacks --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file - ${device}`,
  `cryptsetup open --type luks2 --key-file - ${device} inference-stacks`,
  "mkfs.ext4 -q -F -m 0 -L inference-stacks -O ^has_journal -E nodiscard,lazy_itable_init=1 /dev/mapper/inference-stacks",
];

describe("a machine's local disks", () => {
  it("are none: nothing is done, and that is no failure", async () => {
    const outcome = await run("make");
    expect(outcome).toMatchObject({ status: 0, said: expect.stringContaining("has no local disks") });
    expect(changes(outcome)).toEqual([]);
  });

  it("are one: encrypted, without an array", async () => {
    disks(blank(1));
    const outcome = await run("make");
    expect(outcome).toMatchObject({ status: 0, said: expect.stringContaining("on 1 of 1 local disks") });
    expect(changes(outcome)).toEqual([
      "wipefs --quiet --all /dev/nvme0n1",
      ...MAKES("/dev/nvme0n1"),
      `mount -o noatime /dev/mapper/inference-stacks ${root.path(KUBELET)}`,
      `mount --bind ${root.path(KEPT)}/pki ${root.path(KUBELET)}/pki`,
    ]);
  });

  it("are four: one array of all, under one encryption", async () => {
    disks(blank(4));
    const outcome = await run("make");
    expect(outcome.status).toBe(0);
    expect(changes(outcome).slice(0, 5)).toEqual([
      "wipefs --quiet --all /dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1",
      "mdadm --quiet --create /dev/md/inference-stacks --run --homehost=any --name=inference-stacks --metadata=1.2 --level=0 --raid-devices=4 /dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1",
      ...MAKES("/dev/md/inference-stacks"),
    ]);
  });

  it("are encrypted with a key that is long, another one each time, and in no file", async () => {
    disks(blank(1));
    root.program(
      "cryptsetup",
      'case "$1" in luksFormat|open) cat >>"$NODE_ROOT/keys"; echo >>"$NODE_ROOT/keys"; readlink /proc/self/fd/0 >>"$NODE_ROOT/from";; esac',
    );
    await run("make");
    rmSync(root.path("/mounted"));
    await run("make");
    const [format, open, ...next] = root.read("/keys").trim().split("\n");
    expect(Buffer.from(format ?? "", "base64")).toHaveLength(64);
    expect(open).toBe(format);
    expect(next).toHaveLength(2);
    expect(next).not.toContain(format);
    for (const from of root.read("/from").trim().split("\n")) {
      expect(from).toMatch(/^pipe:/);
    }
  });

  it("are made once: a second run changes nothing", async () => {
    disks(blank(4));
    await run("make");
    const outcome = await run("make");
    expect(outcome).toMatchObject({ status: 0, said: expect.stringContaining("already") });
    expect(changes(outcome)).toEqual([]);
  });
});

describe("disks with something on them", () => {
  it("of ours are made anew: their key is gone", async () => {
    disks({ nvme0n1: { ...OURS, array: "md127" }, nvme1n1: { ...OURS, array: "md127" } });
    const outcome = await run("make");
    expect(outcome.status).toBe(0);
    expect(changes(outcome).slice(0, 3)).toEqual([
      "mdadm --quiet --stop /dev/md127",
      "wipefs --quiet --all /dev/nvme0n1 /dev/nvme1n1",
      expect.stringContaining("mdadm --quiet --create"),
    ]);
    rmSync(root.path("/mounted"));
    disks({ nvme0n1: { signatures: ["inference-stacks,crypto_LUKS"] } });
    expect(await run("make")).toMatchObject({ status: 0, said: expect.stringContaining("on 1 of 1") });
  });

  it.each([
    ["a file system", "data,ext4"],
    ["a partition table", ",gpt"],
    ["another array", "any:database,linux_raid_member"],
    ["another's encryption", "backups,crypto_LUKS"],
    ["a name like ours", "not-inference-stacks,crypto_LUKS"],
    ["ours and a partition table", "any:inference-stacks,linux_raid_member\\n0x1,u,,gpt"],
  ])("of somebody else, %s, are left alone", async (_, signature) => {
    disks({ nvme0n1: { signatures: [signature] } });
    const alone = await run("make");
    expect(alone).toMatchObject({ status: 1, said: expect.stringContaining("/dev/nvme0n1 has something on it") });
    expect(changes(alone)).toEqual([]);
    disks({ nvme0n1: { signatures: [signature] }, nvme1n1: {}, nvme2n1: {} });
    const others = await run("make");
    expect(others).toMatchObject({ status: 0, said: expect.stringContaining("on 2 of 3 local disks") });
    expect(changes(others).join("\n")).not.toContain("nvme0n1");
  });

  it("that are mounted are left alone", async () => {
    disks({ nvme0n1: { mountPoint: "/" }, nvme1n1: {} });
    const outcome = await run("make");
    expect(outcome).toMatchObject({ status: 0, said: expect.stringContaining("/dev/nvme0n1 is in use") });
    expect(changes(outcome).join("\n")).not.toContain("nvme0n1");
  });

  it("that nobody can read are left alone", async () => {
    disks(blank(1));
    root.program("wipefs", "exit 1");
    const outcome = await run("make");
    expect(outcome.status).toBe(1);
    expect(changes(outcome)).toEqual([]);
  });
});

describe("where no array can be made", () => {
  beforeEach(() => {
    disks(blank(2));
    root.write(`${KEPT}/pki/kubelet-client-current.pem`, "certificate");
    root.write(`${KEPT}/config.json`, "{}");
  });

  it.each([
    ["mdadm fails", () => root.program("mdadm", "exit 1"), "no array of"],
    ["encryption fails", () => root.program("cryptsetup", "exit 1"), "cannot be encrypted"],
    ["opening it fails", () => root.program("cryptsetup", '[ "$1" != open ]'), "cannot be encrypted"],
    ["no file system can be made", () => root.program("mkfs.ext4", "exit 1"), "no file system"],
    ["it cannot be mounted", () => root.program("mount", "exit 32"), "cannot be mounted"],
    [
      "the disks cannot be written",
      () => root.program("wipefs", 'case "$*" in *--all*) exit 1;; esac'),
      "cannot be written",
    ],
    ["the kubelet runs already", () => root.program("systemctl", "true"), "the kubelet runs already"],
  ])("because %s, the kubelet finds its own files on the boot volume, and the unit fails", async (_, breaks, said) => {
    breaks();
    expect(await run("make")).toMatchObject({ status: 1, said: expect.stringContaining(said) });
    expect(root.read(`${KUBELET}/pki/kubelet-client-current.pem`)).toBe("certificate");
    expect(root.has(`${KUBELET}/config.json`)).toBe(true);
  });

  it.each(["cryptsetup", "mdadm"])("because the image has no %s, it says so", async (tool) => {
    const path = root.path(`/bin/${tool}`);
    rmSync(path);
    const outcome = await root.run(bootFilePath("local-disks.sh"), ["make"], {
      // Without this machine's own folders of programs for the administrator.
      PATH: `${root.path("bin")}:/usr/bin:/bin`,
    });
    expect(outcome).toMatchObject({ status: 1, said: expect.stringContaining(`the image has no ${tool}`) });
    expect(changes(outcome)).toEqual([]);
  });

  it("what the kubelet wrote since then stays", async () => {
    root.program("mdadm", "exit 1");
    root.write(`${KUBELET}/pki/kubelet-client-current.pem`, "newer");
    await run("make");
    expect(root.read(`${KUBELET}/pki/kubelet-client-current.pem`)).toBe("newer");
  });

  it("because volumes of pods are mounted in the folder, they are left alone", async () => {
    root.write("/proc/self/mounts", `/dev/sdb ${root.path(KUBELET)}/pods/a/volumes/b xfs rw 0 0\n`);
    const outcome = await run("make");
    expect(outcome).toMatchObject({ status: 1, said: expect.stringContaining("volumes are mounted in") });
    expect(changes(outcome)).toEqual([]);
  });

  it("because what it keeps cannot be put back, nothing is mounted over its files", async () => {
    root.program("mount", 'case "$*" in *--bind*) exit 32;; *) touch "$NODE_ROOT/mounted";; esac');
    const outcome = await run("make");
    expect(outcome).toMatchObject({ status: 1, said: expect.stringContaining("cannot be put back") });
    expect(changes(outcome).at(-1)).toBe(`umount --recursive ${root.path(KUBELET)}`);
    expect(root.has("/mounted")).toBe(false);
  });
});

describe("a boot after the first", () => {
  it("finds the kubelet's own files, and none of the pods'", async () => {
    disks(blank(2));
    await run("make");
    // What joining and running writes, on the array.
    root.write(`${KUBELET}/config.json`, "{}");
    root.write(`${KUBELET}/.hidden`, "x");
    root.write(`${KUBELET}/pods/a/volumes/file`, "weights");
    root.write(`${nodeCacheFolder("chat")}/weights`, "400 GiB");
    root.write(`${KUBELET}/cpu_manager_state`, "{}");
    root.write(`${KUBELET}/device-plugins/kubelet_internal_checkpoint`, "{}");
    expect(await run("keep")).toMatchObject({ status: 0 });
    // A boot: the array is gone, and with it what was on it; certificates are on the boot volume all the time.
    root.write(`${KEPT}/pki/kubelet-client-current.pem`, "certificate");
    await root.run("-c", [`rm -rf "$NODE_ROOT/mounted" "$NODE_ROOT${KUBELET}"`]);
    expect((await run("make")).status).toBe(0);
    expect(root.has(`${KUBELET}/config.json`)).toBe(true);
    expect(root.has(`${KUBELET}/.hidden`)).toBe(true);
    for (const gone of [basename(NODE_CACHE_FOLDER), "pods", "cpu_manager_state", "device-plugins"]) {
      expect({ gone, there: root.has(`${KUBELET}/${gone}`) }).toEqual({ gone, there: false });
    }
    expect(root.read(`${KUBELET}/pki/kubelet-client-current.pem`)).toBe("certificate");
  });

  it("takes what a boot without an array left on the boot volume, and leaves nothing there to grow old", async () => {
    disks(blank(2));
    root.write(`${KUBELET}/pki/kubelet-client-current.pem`, "of the boot volume");
    root.write(`${KEPT}/pki/kubelet-client-current.pem`, "older");
    root.program(
      "mount",
      'case "$*" in *--bind*) ;; *) ls -A "$4" >"$NODE_ROOT/under"; touch "$NODE_ROOT/mounted";; esac',
    );
    expect((await run("make")).status).toBe(0);
    expect(root.read(`${KEPT}/pki/kubelet-client-current.pem`)).toBe("of the boot volume");
    expect(root.read("/under")).toBe("");
  });

  it("keeps nothing where the kubelet's folder is on the boot volume", async () => {
    root.write(`${KUBELET}/config.json`, "{}");
    const outcome = await run("keep");
    expect(outcome.status).toBe(0);
    expect(root.has(KEPT)).toBe(false);
  });
});

it("says how it is called", async () => {
  expect(await run("help")).toMatchObject({ status: 1, said: expect.stringContaining("usage") });
});
