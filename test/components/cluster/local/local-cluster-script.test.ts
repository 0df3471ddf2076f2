import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../../names/repository-root";
import { LocalTools } from "../../../harness/local-tools/local-tools";

const SCRIPT = readFileSync(
  join(repositoryRoot(), "components", "cluster", "local", "scripts", "local-cluster.sh"),
  "utf8",
);
const IMAGE = { k3d: "docker.io/rancher/k3s:v1.36.4-k3s1", kind: "docker.io/kindest/node:v1.36.1@sha256:abc" } as const;
type Tool = keyof typeof IMAGE;

let tools: LocalTools;
beforeEach(() => {
  tools = new LocalTools(["docker", "podman", "k3d", "kind"]);
});
afterEach(() => tools.remove());

/** As the component runs it. */
function run(action: "create" | "delete", tool: Tool = "k3d", changes: Readonly<Record<string, string>> = {}) {
  return tools.shell(`sh -s ${action} # ${tool}: inference-dev`, SCRIPT, {
    HOME: tools.folder,
    KUBECONFIG: join(tools.folder, "own-kubeconfig"),
    TOOL: tool,
    ENGINE: "docker",
    CLUSTER: "inference-dev",
    OWNER: "0123456789abcdef",
    NODE_IMAGE: IMAGE[tool],
    INSTALL: "https://example.com/install",
    ...changes,
  });
}

const KUBECONFIG = "apiVersion: v1\nkind: Config\n";

describe.each(["k3d", "kind"] as const)("a local cluster by %s", (tool) => {
  const node = { k3d: "k3d-inference-dev-server-0", kind: "inference-dev-control-plane" }[tool];
  const marked = { [`inference-stacks-${tool}-inference-dev`]: "0123456789abcdef" };
  const whole = { ...marked, [`inference-stacks-${tool}-inference-dev-whole`]: "0123456789abcdef" };

  it("is made, and its kubeconfig is all that standard output holds", async () => {
    const { status, stdout, stderr } = await run("create", tool);
    expect([status, stdout.replace(/^---\n/, "")]).toEqual([0, KUBECONFIG]);
    expect(stderr).toContain(`making the cluster inference-dev with ${tool} from ${IMAGE[tool]}`);
    expect(tools.clusters(tool)).toEqual(["inference-dev"]);
    expect(tools.volumes()).toEqual(whole);
  });

  it("is left as it is by a second run, but started", async () => {
    await run("create", tool);
    tools.calls();
    const { status, stdout, stderr } = await run("create", tool, { LOG_LEVEL: "debug" });
    expect([status, stdout.replace(/^---\n/, "")]).toEqual([0, KUBECONFIG]);
    expect(tools.calls()).toEqual(
      tool === "k3d"
        ? ["k3d cluster start inference-dev --wait --timeout 600s", "k3d kubeconfig get inference-dev"]
        : [`docker start ${node}`, "kind get kubeconfig --name inference-dev"],
    );
    expect(stderr).not.toContain("it stays at");
  });

  it("says that a newer node image is for new clusters", async () => {
    await run("create", tool);
    const { status, stderr } = await run("create", tool, { NODE_IMAGE: "docker.io/example/node:v2" });
    expect(status).toBe(0);
    expect(stderr).toContain(`it stays at ${IMAGE[tool]}: only a new one has docker.io/example/node:v2`);
  });

  it("is made anew where a killed run left it half made", async () => {
    tools.write("create-fails", "killed");
    expect((await run("create", tool)).status).toBe(1);
    expect(tools.clusters(tool)).toEqual(["inference-dev"]);
    expect(tools.volumes()).toEqual(marked);
    tools.forget("create-fails");
    const { status, stderr } = await run("create", tool);
    expect([status, stderr]).toEqual([0, expect.stringContaining("is half made: it is made anew")]);
    expect(tools.volumes()).toEqual(whole);
  });

  it("is made again where somebody removed it by hand", async () => {
    await run("create", tool);
    tools.forget(`${tool}/inference-dev`);
    expect((await run("create", tool, { OWNER: "other" })).status).toBe(0);
    expect(new Set(Object.values(tools.volumes()))).toEqual(new Set(["other"]));
  });

  it("of somebody else is neither taken nor removed", async () => {
    await run("create", tool, { OWNER: "somebody" });
    const before = tools.volumes();
    tools.calls();
    for (const action of ["create", "delete"] as const) {
      const { status, stdout, stderr } = await run(action, tool);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/a cluster inference-dev of \w+ exists that this stack did not make: it is left alone\./);
    }
    expect(tools.calls()).toEqual([]);
    expect(tools.volumes()).toEqual(before);
  });

  it("is removed with what marked it; a second time there is nothing to do", async () => {
    await run("create", tool);
    expect((await run("delete", tool)).status).toBe(0);
    expect([tools.clusters(tool), tools.volumes()]).toEqual([[], {}]);
    tools.calls();
    expect(await run("delete", tool)).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(tools.calls()).toEqual([]);
  });

  it("never touches the user's own kubeconfig, nor leaves files", async () => {
    const own = join(tools.folder, "own-kubeconfig");
    writeFileSync(own, "mine");
    await run("create", tool);
    await run("create", tool);
    await run("delete", tool);
    expect(readFileSync(own, "utf8")).toBe("mine");
  });

  it("is not believed to be gone when its tool does not answer", async () => {
    await run("create", tool);
    tools.write("list-fails");
    const { status, stderr } = await run("delete", tool);
    expect([status, stderr]).toEqual([1, `${tool} does not tell which clusters there are: try it by hand\n`]);
    expect(tools.volumes()).toEqual(whole);
  });

  it("needs its tool, and an engine that runs", async () => {
    tools.write("docker-stopped");
    expect(await run("create", tool)).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^docker does not answer: .* docker info\n$/),
    });
    tools.forget(`bin/${tool}`);
    expect((await run("create", tool)).stderr).toContain(
      `${tool} is not on the PATH of the machine that runs pulumi: install it (https://example.com/install)`,
    );
  });
});

describe("local-cluster.sh", () => {
  it("asks k3d for a node that this computer alone reaches, without load balancer and Traefik", async () => {
    await run("create");
    expect(tools.calls()).toContain(
      "k3d cluster create inference-dev --image docker.io/rancher/k3s:v1.36.4-k3s1 --servers 1 --agents 0 --api-port 127.0.0.1:random --no-lb --k3s-arg --disable=traefik@server:0 --wait --timeout 600s --kubeconfig-update-default=false --kubeconfig-switch-context=false",
    );
  });

  it("keeps kind to the engine that is named", async () => {
    tools.program("kind", '#!/bin/sh\necho "$KIND_EXPERIMENTAL_PROVIDER" >>"$LOCAL_TOOLS/providers"\n');
    await run("create", "kind", { ENGINE: "podman" });
    expect(new Set(readFileSync(join(tools.folder, "providers"), "utf8").trim().split("\n"))).toEqual(
      new Set(["podman"]),
    );
  });
});
