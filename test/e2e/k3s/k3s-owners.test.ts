import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Machine } from "./machine";
import { installation, offer, playedRelease, playK3s } from "./played-k3s";

const TIMEOUT_MS = 120_000;
const RELEASE = playedRelease();

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
  playK3s(machine);
  offer(machine, RELEASE);
});
afterEach(() => machine.remove());

describe("a machine of others", { timeout: TIMEOUT_MS }, () => {
  it("is left alone where it is another environment's: nothing installed, nothing removed", async () => {
    await machine.run("k3s", "install", installation(RELEASE));
    const before = machine.tree();
    const other = installation(RELEASE, { ENVIRONMENT: "edge-other" });
    const installed = await machine.run("k3s", "install", other);
    expect(installed.status).toBe(1);
    expect(installed.said).toContain(
      "workstation was left alone: it is the node of the environment edge-test: end that first (pulumi destroy -s edge-test)",
    );
    expect(machine.tree()).toEqual(before);
    const removed = await machine.run("k3s", "uninstall", other);
    expect(removed).toMatchObject({
      status: 0,
      said: "workstation is the node of the environment edge-test by now: nothing is removed\n",
    });
    expect(machine.tree()).toEqual(before);
  });

  it("is left alone where its node has another name, to which volumes are bound", async () => {
    await machine.run("k3s", "install", installation(RELEASE));
    const before = machine.tree();
    const { status, said } = await machine.run("k3s", "install", installation(RELEASE, { NODE: "renamed" }));
    expect(status).toBe(1);
    expect(said).toContain("its node is called workstation");
    expect(machine.tree()).toEqual(before);
  });

  it.each([
    ["/usr/local/bin/k3s", "#!/bin/sh\n"],
    ["/etc/rancher/k3s/registries.yaml", "mirrors: {}\n"],
    ["/etc/systemd/system/k3s-agent.service", "[Service]\n"],
  ])("is left alone with a k3s that was not made from here: %s", async (path, text) => {
    machine.write(path, text);
    const before = machine.tree();
    const installed = await machine.run("k3s", "install", installation(RELEASE));
    expect(installed.status).toBe(1);
    expect(installed.said).toContain(`that were not made from here (${path})`);
    expect(machine.tree()).toEqual(before);
    const removed = await machine.run("k3s", "uninstall", installation(RELEASE));
    expect(removed).toMatchObject({
      status: 0,
      said: "nothing was installed on workstation from here: nothing is removed\nthe k3s that is there is another one, and stays\n",
    });
    expect(machine.tree()).toEqual(before);
  });

  it("is left alone where another environment takes it while this one waits", async () => {
    machine.program(
      "flock",
      `/usr/bin/mkdir -p /etc/inference-stacks/k3s
echo edge-other >/etc/inference-stacks/k3s/owner
echo workstation >/etc/inference-stacks/k3s/node`,
    );
    const { status, said } = await machine.run("k3s", "install", installation(RELEASE));
    expect(status).toBe(1);
    expect(said).toContain("it is the node of the environment edge-other");
    expect(machine.has("/usr/local/bin/k3s")).toBe(false);
  });
});
