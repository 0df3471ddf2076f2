import { describe, expect, it } from "vitest";
import { problemsWith } from "./samples";

function problems(mesh: unknown) {
  return problemsWith({ mesh }).map(({ path, fix }) => [path, fix]);
}

describe("section mesh", () => {
  it.each([
    [{ mode: "ambient" }],
    [{ mode: "sidecar", egressHosts: ["api.example.com"], requestsPerSecond: 500 }],
    [{ mode: "off" }],
    [{}],
  ])("may be %j", (mesh) => {
    expect(problems(mesh)).toEqual([]);
  });

  it.each<[unknown, [string, string][]]>([
    ["sidecar", [["mesh", "write mesh: {mode: sidecar}"]]],
    ["istio", [["mesh", "write mesh: {mode: ambient}"]]],
    [true, [["mesh", "write mesh: {mode: ambient}"]]],
    [false, [["mesh", "write mesh: {mode: off}"]]],
    [{ mode: "istio" }, [["mesh.mode", "write for example ambient, or remove it for the default, off"]]],
    [
      { mode: "sidecar", egressHosts: ["https://api.example.com/v1"] },
      [["mesh.egressHosts[0]", "write api.example.com"]],
    ],
    [{ mode: "sidecar", egressHosts: ["*.example.com"] }, [["mesh.egressHosts[0]", "name each server that pods call"]]],
    [{ mode: "sidecar", egressHosts: ["a.example.com", "a.example.com"] }, [["mesh.egressHosts[1]", "remove it"]]],
    [
      { mode: "ambient", egressHosts: ["a.example.com"] },
      [
        [
          "mesh.egressHosts",
          "remove it: NetworkPolicies, by addresses, are what closes the way out; or write mode: sidecar",
        ],
      ],
    ],
    [
      { requestsPerSecond: 500 },
      [
        [
          "mesh.requestsPerSecond",
          "write mode: ambient or mode: sidecar next to it, or limit callers by gateway.consumers",
        ],
      ],
    ],
    [{ mode: "ambient", requestsPerSecond: "10k" }, [["mesh.requestsPerSecond", "write 10000"]]],
  ])("%j is answered with what to write", (mesh, expected) => {
    expect(problems(mesh)).toEqual(expected);
  });
});
