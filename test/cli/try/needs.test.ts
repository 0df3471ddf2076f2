import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ask, findNeeds, needsText, sizeIn } from "../../../cli/try/needs";

const GIB = 2 ** 30;
const ALL: Readonly<Record<string, string>> = {
  pulumi: "v3.259.0",
  kubectl: "Client Version: v1.36.1",
  docker: `8 ${16 * GIB} x86_64`,
  podman: `4 ${8 * GIB} arm64`,
  k3d: "k3d version v5.9.0\nk3s version v1.35.5-k3s1 (default)",
  kind: "kind v0.32.0 go1.26.3 linux/amd64",
};

/** A computer that has these programs; `undefined` is one that is there and fails. */
function has(programs: Readonly<Record<string, string | undefined>>): Ask {
  return async (command) => {
    if (!Object.hasOwn(programs, command)) {
      return { status: undefined, out: "", err: "" };
    }
    const out = programs[command];
    return out === undefined ? { status: 1, out: "", err: "no" } : { status: 0, out, err: "" };
  };
}

function without(...names: string[]): Ask {
  return has(Object.fromEntries(Object.entries(ALL).filter(([name]) => !names.includes(name))));
}

const missing = async (ask: Ask, tool?: "k3d" | "kind") => {
  const { needs, tools } = await findNeeds(ask, tool);
  const lines = needs.flatMap(({ what, found, remedy }) => (remedy ? [`${what}: ${found}; ${remedy}`] : []));
  expect(tools === undefined).toBe(lines.length > 0);
  return lines;
};

describe("what a trial needs", () => {
  it("is all there: k3d in docker comes first, and the size is the engine's", async () => {
    const { tools } = await findNeeds(has(ALL));
    expect(tools).toEqual({ tool: "k3d", engine: "docker", size: { vcpus: 8, memoryGiB: 16, cpuArch: "amd64" } });
  });

  it("may be kind, in either engine", async () => {
    expect((await findNeeds(has(ALL), "kind")).tools).toMatchObject({ tool: "kind", engine: "docker" });
    expect((await findNeeds(without("docker"))).tools).toMatchObject({ tool: "kind", engine: "podman" });
    expect((await findNeeds(without("docker"))).tools?.size).toEqual({ vcpus: 4, memoryGiB: 8, cpuArch: "arm64" });
  });

  it("is told all at once where nothing is there, each with where to get it", async () => {
    const { needs } = await findNeeds(has({}));
    expect(needsText(needs)).toBe(`  ✗ pulumi            not on the PATH
                      install it: https://www.pulumi.com/docs/install
  ✗ kubectl           not on the PATH
                      install it: https://kubernetes.io/docs/tasks/tools
  ✗ docker or podman  neither is on the PATH
                      install one: https://docs.docker.com/engine/install or https://podman.io/docs/installation
  ✗ k3d or kind       neither is on the PATH
                      install k3d 5.4.0 or later: https://k3d.io, or kind 0.32.0 or later: https://kind.sigs.k8s.io/docs/user/quick-start/#installation
`);
  });

  it("is an engine that answers", async () => {
    expect(await missing(has({ ...ALL, docker: undefined, podman: undefined }))).toEqual([
      "docker or podman: docker and podman there, but not answering; start docker, and see that you may use it: docker info",
    ]);
  });

  it("is an engine that the tool works with", async () => {
    expect(await missing(without("docker", "kind"))).toEqual([
      expect.stringMatching(/^k3d or kind: k3d 5\.9\.0: k3d works with docker; start docker, or install kind: https:/),
    ]);
    expect(await missing(without("kind"), "kind")).toEqual([
      expect.stringMatching(/^kind: not on the PATH; install kind 0\.32\.0 or later/),
    ]);
  });

  it("is no older than what is asked of it", async () => {
    expect(await missing(has({ ...ALL, kind: "kind v0.31.9", k3d: "k3d version v5.3.0" }))).toEqual([
      expect.stringMatching(/^k3d or kind: k3d 5\.3\.0; kind 0\.31\.9; install k3d 5\.4\.0 or later/),
    ]);
    expect((await findNeeds(has({ ...ALL, k3d: "k3d version v5.3.0" }))).tools?.tool).toBe("kind");
    expect(await missing(has({ ...ALL, pulumi: "v3.100.0" }))).toEqual([
      "pulumi: v3.100.0; upgrade it to 3.259.0 or later: https://www.pulumi.com/docs/install",
    ]);
    expect(await missing(has({ ...ALL, pulumi: "v4.0.0" }))).toEqual([]);
  });
});

describe("the size of containers", () => {
  it("is never more than the engine has", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 512 }), fc.integer({ min: GIB, max: 4096 * GIB }), (cpus, bytes) => {
        const size = sizeIn(`${cpus} ${bytes} aarch64\n`);
        expect(size).toMatchObject({ vcpus: cpus, cpuArch: "arm64" });
        expect((size?.memoryGiB ?? Number.POSITIVE_INFINITY) * GIB).toBeLessThanOrEqual(bytes + 1);
        expect((size?.memoryGiB ?? 0) * GIB).toBeGreaterThan(bytes - 0.11 * GIB);
      }),
    );
  });

  it("is not made up from what cannot be read", () => {
    for (const text of ["", "8", "8 x x86_64", "0 17179869184 x86_64", "8 17179869184 riscv64", "8 1000 amd64"]) {
      expect(sizeIn(text)).toBeUndefined();
    }
  });
});
