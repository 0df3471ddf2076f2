/** What docs/edge.md tells an owner of a machine to type, through the real command line and its language host. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { waitingPods } from "../../../rehearsal/cluster/pods";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { Checkout, documentedCommands } from "../../e2e/edge/checkout";
import { FakeGateway } from "../../e2e/edge/fake-gateway";
import { filesBelow, leaks } from "../../e2e/engine/secret-search";
import { sharedBySuite } from "../../e2e/shared-by-suite";

const PASSWORD = "of whom sudo asks";
/** Nobody is there to answer the command line's question. */
const UNATTENDED = "ARGS=--yes";

describe("a machine of one's own, by the page's own commands", () => {
  const checkout = sharedBySuite(() => Checkout.start("edge-nvidia", { password: PASSWORD }));
  const [keyscan = "", init = "", key = "", password = "", install = ""] = documentedCommands(
    "edge-nvidia",
    "ssh-keyscan",
  );
  const [cancel = "", again = ""] = documentedCommands("edge-nvidia", "pulumi cancel");
  let gateway: FakeGateway | undefined;
  const resourceCount = (): number => checkout().surroundings.offline.recording.resources.length;
  /** The script of each command on the machine, and its verb, from the first that was run after these. */
  const verbs = (before = 0): string[] =>
    checkout()
      .machine.commands()
      .slice(before)
      .map((line) => line.split(" ").slice(-2).join(" "));

  it("is named in the environment's file, with its key and what opens it", async () => {
    const { machine, file } = checkout();
    expect(await checkout().must(keyscan.replace("gpu-box.example.internal", machine.address))).toContain(
      machine.keys.hostKey.split(" ").slice(0, 2).join(" "),
    );
    checkout().nameMachine();
    await checkout().must(init);
    await checkout().must(key);
    await checkout().must(password, PASSWORD);
    expect(readFileSync(file, "utf8").match(/secure:/g)).toHaveLength(2);
    const plan = await checkout().must("make plan ENV=edge-nvidia");
    expect(plan).toMatch(new RegExp(` on ${machine.address}, installed by this stack$`, "m"));
    expect(plan).toMatch(/^Next: /m);
    expect(machine.commands()).toEqual([]);
  });

  it("is not installed while nobody says yes", async () => {
    const { status, output } = await checkout().type(install);
    expect(status).not.toBe(0);
    expect(output).toContain("--yes");
    expect(checkout().machine.commands()).toEqual([]);
  });

  it("is installed by the same command after pulumi was killed, once its lock is gone as the page says", async () => {
    const { machine, surroundings } = checkout();
    machine.hold("node", true);
    const killed = checkout().type(`${install} ${UNATTENDED}`);
    await waitFor("k3s to start", async () => machine.read("/etc/rancher/k3s/k3s.yaml"), 300);
    checkout().killEngine();
    expect((await killed).status).not.toBe(0);
    machine.hold("node", false);

    const locked = await checkout().type(`${install} ${UNATTENDED}`);
    expect(locked.status).not.toBe(0);
    expect(locked.output).toMatch(/the stack is currently locked.*pulumi cancel/s);
    await checkout().must(`${cancel} --yes`);
    const before = machine.commands().length;
    const installed = await checkout().type(`${again} ${UNATTENDED}`);
    // What was done before the kill is in the state.
    expect(installed.output).toMatch(/^ +\+ \d+ created\n +\d+ unchanged$/m);
    // The platform is there, and its owner's certificate is not.
    expect(installed.status).not.toBe(0);
    expect(installed.output).toContain(`kubectl -n ${GATEWAY_NAMESPACE} create secret tls gateway-tls `);
    // The checks had ended before the kill: whether the state knows is a race.
    const since = verbs(before).filter((verb) => verb !== "host-checks check");
    expect(since).toEqual(["k3s install", "kubeconfig read"]);
    const { client } = surroundings.plane;
    const node = await client.get({ apiVersion: "v1", kind: "Node", metadata: { name: "workstation" } });
    expect((node?.status as { conditions?: unknown } | undefined)?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "True" }),
    );
    expect(await waitingPods(client)).toEqual([]);
  });

  it("is left alone when nothing changed, and its model answers with the key of the stack's consumer", async () => {
    const { machine, surroundings } = checkout();
    const { client } = surroundings.plane;
    const hostname = surroundings.file.environment.gateway.hostname;
    gateway = await FakeGateway.start(machine, client, hostname, "chat");
    const before = machine.commands().length;
    const output = await checkout().must(`${install} ${UNATTENDED}`);
    expect(output).toMatch(new RegExp(`^ +${resourceCount()} unchanged$`, "m"));
    expect(verbs(before)).toEqual([]);
    expect(output).toMatch(/^ *3\/7 +latency +✓ passed/m);
    expect(output).toContain(`Asked at ${machine.address}; clients need ${hostname} to resolve to it.`);
    expect(output).toMatch(/^– writer is not asked: /m);
    const metadata = { name: "consumer-default", namespace: GATEWAY_NAMESPACE };
    const secret = await client.get({ apiVersion: "v1", kind: "Secret", metadata });
    const { default: key = "" } = (secret?.data ?? {}) as { readonly default?: string };
    const text = Buffer.from(key, "base64").toString("utf8");
    expect([gateway.keys, output.includes(text)]).toEqual([[text], false]);
  });

  it("is not installed well while its model does not answer", async () => {
    await gateway?.stop();
    const { status, output } = await checkout().type(`${install} ${UNATTENDED}`);
    expect(status).not.toBe(0);
    expect(output).toMatch(/✗ health/);
    expect(output).toContain("Check again: npm run smoke -- edge-nvidia");
  });

  it("says how it is, once somebody says which cluster it is", async () => {
    const unnamed = await checkout().type("make status ENV=edge-nvidia");
    expect(unnamed.status).not.toBe(0);
    const [command = ""] = /pulumi stack output kubeconfig --show-secrets > FILE/.exec(unnamed.output) ?? [];
    await checkout().must(command.replace("FILE", "~/own-kubeconfig"));
    const status = await checkout().must("make status ENV=edge-nvidia ARGS=--kubeconfig=$HOME/own-kubeconfig");
    expect(status).toContain(`https://${checkout().machine.address}:6443`);
    expect(status).toMatch(/^✓ chat +ready +1 of 1 +vllm/m);
    expect(status).toMatch(/^✓ writer +ready +1 of 1 +triton/m);
  });

  it("leaves no key and no password in the state, in the environment's file or on the machine", () => {
    const { machine, surroundings, file } = checkout();
    const key = machine.keys.privateKey.split("\n")[2] ?? "";
    expect(leaks(filesBelow(surroundings.backend), [key, PASSWORD])).toEqual([]);
    expect(leaks(new Map([["file", readFileSync(file, "utf8")]]), [key, PASSWORD])).toEqual([]);
    expect(leaks(machine.logs(), [key, PASSWORD])).toEqual([]);
  });

  it("is as before when it is destroyed, which it is not while data is protected", async () => {
    const { machine } = checkout();
    const destroy = `make destroy ENV=edge-nvidia ${UNATTENDED}`;
    const before = machine.commands().length;
    const refused = await checkout().type(destroy);
    expect(refused.status).not.toBe(0);
    expect(refused.output).toContain("because it is protected");
    expect(verbs(before)).toEqual([]);
    const [unprotect = ""] =
      /pulumi state unprotect --all --stack <environment>/.exec(await checkout().must("make -n destroy")) ?? [];
    await checkout().must(`${unprotect.replace("<environment>", "edge-nvidia")} --yes`);
    await checkout().must(destroy);
    expect(verbs(before)).toEqual(["k3s uninstall"]);
    expect([...machine.written().keys()].filter((path) => machine.read(path) !== undefined)).toEqual([]);
    expect(await checkout().must("pulumi stack --show-urns -s edge-nvidia")).toContain("Current stack resources (0)");
  });
});
