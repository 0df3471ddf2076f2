import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { waitingPods } from "../../../rehearsal/cluster/pods";
import { requirePart } from "../../../rehearsal/parts/find";
import { type Operation, operation } from "../engine/operations";
import { filesBelow, generatedPasswords, leaks } from "../engine/secret-search";
import { TestBed } from "../engine/test-bed";
import { sharedBySuite } from "../shared-by-suite";

vi.mock("../../../catalog/k3s", async (original) => (await import("./machine/release")).standInCatalog(original));

/** What a stack's k3s is, as the machine was asked for it. */
const INSTALLED = ["host-checks check", "k3s install", "kubeconfig read"];
/** The script of each command, and its verb: the last two words. */
const verbs = (commands: readonly string[]): string[] => commands.map((line) => line.split(" ").slice(-2).join(" "));

describe("edge-nvidia on a machine that SSH logs in to", { timeout: 300_000 }, () => {
  const bed = sharedBySuite(() => TestBed.start("edge-nvidia"));
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  const resourceCount = (): number => bed().offline.recording.resources.length;
  /** What was seen in the list of processes while it was installed. */
  let processes = "";

  it("becomes a cluster whose node is ready, and which takes all of the platform", async () => {
    const sampling = setInterval(() => {
      processes += bed().machine.processList();
    }, 100);
    try {
      expect((await up()).changes).toEqual({ create: resourceCount() });
    } finally {
      clearInterval(sampling);
    }
    expect(verbs(bed().machine.commands())).toEqual(INSTALLED);
    const node = await bed().plane.client.get({ apiVersion: "v1", kind: "Node", metadata: { name: "workstation" } });
    const labels = bed().offline.plan.pools[0]?.labels ?? {};
    expect(node?.metadata.labels).toMatchObject(labels);
    expect((node?.status as { conditions?: unknown } | undefined)?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "True" }),
    );
    expect(await waitingPods(bed().plane.client)).toEqual([]);
  });

  it("has a kubeconfig that reaches the machine's own port, as an administrator", async () => {
    const kubeconfig = await kubeconfigOf(bed());
    const file = join(bed().backend, "..", "own-kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const kubectl = (...args: string[]): string =>
      execFileSync(requirePart("kubectl"), ["--kubeconfig", file, ...args], { encoding: "utf8" });
    expect(kubeconfig).toContain(`https://${bed().machine.address}:6443`);
    expect(kubectl("auth", "can-i", "*", "*").trim()).toBe("yes");
  });

  it("changes nothing when it runs again, and runs nothing on the machine", async () => {
    const before = bed().machine.commands().length;
    expect((await up()).changes).toEqual({ same: resourceCount() });
    expect(bed().machine.commands().slice(before)).toEqual([]);
  });

  it("leaves no key, password, token or kubeconfig in the state, in logs, in the list of processes or in a history", async () => {
    const { machine } = bed();
    const kubeconfig = await kubeconfigOf(bed());
    const { deployment } = await bed().stack.exportStack();
    const token = /"?token"?: "?([0-9a-f]{40,})/.exec(kubeconfig)?.[1] ?? "";
    expect(token.length).toBeGreaterThan(0);
    const key = machine.keys.privateKey.split("\n")[2] ?? "";
    const secrets = [key, token, kubeconfig, "token-of-the-cluster", ...generatedPasswords(deployment)];
    expect(leaks(filesBelow(bed().backend), secrets)).toEqual([]);
    expect(processes).toContain("sh -s k3s install");
    const histories = ["/root/.bash_history", "/home/ops/.bash_history", "/home/ops/.ash_history"];
    const texts = new Map([
      ...machine.logs(),
      ["processes", processes],
      ...histories.map((path) => [path, machine.read(path) ?? ""] as const),
    ]);
    expect(leaks(texts, secrets)).toEqual([]);
  });

  it("leaves nothing on the machine when it is destroyed", async () => {
    await bed().unprotect();
    await bed().stack.destroy();
    expect((await bed().stack.exportStack()).deployment.resources ?? []).toEqual([]);
    expect(verbs(bed().machine.commands()).at(-1)).toBe("k3s uninstall");
    expect([...bed().machine.written().keys()].filter((path) => !isRemoval(bed(), path))).toEqual([]);
  });
});

/** Whether only the layer knows of a path: something of this machine's that is no more. */
function isRemoval({ machine }: TestBed, path: string): boolean {
  return machine.read(path) === undefined;
}

/** The kubeconfig that the stack keeps. */
async function kubeconfigOf({ stack }: TestBed): Promise<string> {
  const { deployment } = await stack.exportStack();
  const resources = (deployment as { resources?: { type: string; inputs?: Record<string, { plaintext?: string }> }[] })
    .resources;
  const provider = resources?.find(({ type }) => type === "pulumi:providers:kubernetes");
  return JSON.parse(provider?.inputs?.kubeconfig?.plaintext ?? '""') as string;
}
