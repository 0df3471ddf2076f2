import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootFilePath } from "../../../components/cluster/oke/cloud-init/boot-part";
import { NodeRoot, type ScriptOutcome } from "./node-root";

const FILE = "/kubelet-arguments";
const BEFORE = "--cpu-manager-policy=static\n--topology-manager-policy=restricted\n--topology-manager-scope=pod\n";

let root: NodeRoot;
beforeEach(() => {
  root = new NodeRoot();
  root.write(FILE, BEFORE);
});
afterEach(() => root.remove());

function run(reserved: number, ...planned: string[]): Promise<ScriptOutcome> {
  return root.run(bootFilePath("kubelet-cpus.sh"), [root.path(FILE), String(reserved), ...planned]);
}

/** Memory nodes with CPUs, and the threads of each core. */
function memoryNodes(lists: readonly string[], siblings: (cpu: number) => string | undefined = () => undefined): void {
  for (const [node, list] of lists.entries()) {
    root.write(`/sys/devices/system/node/node${node}/cpulist`, `${list}\n`);
    for (const cpu of list.split(",").flatMap(range)) {
      const text = siblings(cpu);
      text && root.write(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`, `${text}\n`);
    }
  }
}

function range(text: string): number[] {
  const [from = 0, to = from] = text.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function gpus(nodes: readonly number[], vendor = "0x10de", kind = "0x030200"): void {
  for (const [index, node] of nodes.entries()) {
    const device = `/sys/bus/pci/devices/0000:${index}:00.0`;
    root.write(`${device}/vendor`, `${vendor}\n`);
    root.write(`${device}/class`, `${kind}\n`);
    root.write(`${device}/numa_node`, `${node}\n`);
  }
}

/** Two sockets of 56 cores with two threads each, numbered as Linux does. */
function h100(): void {
  memoryNodes(["0-55,112-167", "56-111,168-223"], (cpu) => `${cpu % 112},${(cpu % 112) + 112}`);
}

const added = () => root.read(FILE).replace(BEFORE, "");

describe("the CPUs that the system keeps", () => {
  it("are as many of each memory node, and whole cores of each while there are enough", async () => {
    h100();
    gpus([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(await run(6, "2")).toMatchObject({ status: 0 });
    expect(added()).toBe("--reserved-cpus=0,1,56,57,112,168\n");
  });

  it("are of the one memory node that a virtual machine has", async () => {
    memoryNodes(["0-59"], (cpu) => `${cpu - (cpu % 2)}-${cpu - (cpu % 2) + 1}`);
    gpus([-1, -1]);
    await run(2, "1");
    expect(added()).toBe("--reserved-cpus=0,1\n");
    root.write(FILE, BEFORE);
    memoryNodes(["0-15"]);
    await run(1, "1");
    expect(added()).toBe("--reserved-cpus=0\n");
  });

  it("are not of memory nodes that are memory alone", async () => {
    memoryNodes(["0-71", "72-143"]);
    for (const node of [2, 3]) {
      root.write(`/sys/devices/system/node/node${node}/cpulist`, "\n");
    }
    await run(4, "2");
    expect(added()).toBe("--reserved-cpus=0,1,72,73\n");
  });

  it("are named once: a second run changes nothing", async () => {
    h100();
    await run(6, "2");
    const first = root.read(FILE);
    expect(await run(6, "2")).toMatchObject({ status: 0, said: expect.stringContaining("already") });
    expect(root.read(FILE)).toBe(first);
  });

  it("are the first where the machine tells nothing", async () => {
    await run(3);
    expect(added()).toBe("--reserved-cpus=0,1,2\n");
  });
});

describe("a machine that is not what the plan counted with", () => {
  const policy = () => root.read(FILE).match(/--topology-manager-policy=(.*)/)?.[1];

  it("keeps the plan's policy where memory nodes and GPUs are as planned, of either vendor", async () => {
    h100();
    gpus([0, 0, 0, 0, 1, 1, 1, 1], "0x1002", "0x120000");
    await run(6, "2");
    expect(policy()).toBe("restricted");
  });

  it("is best-effort with more memory nodes, and with none to look at", async () => {
    memoryNodes(["0-27,112-139", "28-55,140-167", "56-83,168-195", "84-111,196-223"]);
    expect((await run(6, "2")).said).toContain("it has 4 memory nodes with CPUs, and the plan counted with 2");
    expect(policy()).toBe("best-effort");
    expect(added()).toContain("--reserved-cpus=0,1,28,29,56,84");
  });

  it.each([
    ["on one memory node", [0, 0, 0, 0, 0, 0, 0, 0]],
    ["more on one than on another", [0, 0, 0, 1, 1, 1, 1, 1]],
  ])("is best-effort with GPUs %s", async (_, where) => {
    h100();
    gpus(where);
    const { said } = await run(6, "2");
    expect(said).toContain("its GPUs are on the memory nodes");
    expect(policy()).toBe("best-effort");
  });

  it("looks at GPUs alone: a display of the board's management is none", async () => {
    h100();
    gpus([0, 0, 0, 0, 1, 1, 1, 1]);
    const display = "/sys/bus/pci/devices/0001:00:00.0";
    root.write(`${display}/vendor`, "0x1a03\n");
    root.write(`${display}/class`, "0x030000\n");
    root.write(`${display}/numa_node`, "0\n");
    await run(6, "2");
    expect(policy()).toBe("restricted");
  });
});
