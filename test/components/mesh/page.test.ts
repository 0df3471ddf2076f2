import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mesh } from "../../../components/observability/rules/mesh";
import { MESH_PODS } from "../../../planner/mesh-reserve";
import { MESH_PROXY } from "../../../planner/sidecars";

const page = readFileSync(join(__dirname, "../../../docs/mesh.md"), "utf8");

it("docs/mesh.md says what each pod of the mesh takes, as plans count it", () => {
  const pods = {
    istiod: MESH_PODS.istiod,
    "CNI agent": MESH_PODS.cni,
    ztunnel: MESH_PODS.ztunnel,
    waypoint: MESH_PODS.waypoint,
    sidecar: MESH_PROXY,
  };
  const table = page.slice(page.indexOf("\n## What it takes"));
  for (const [pod, { cpu, memoryGiB }] of Object.entries(pods)) {
    const memory = memoryGiB < 1 ? `${memoryGiB * 1024} MiB` : `${memoryGiB} GiB`;
    const row = table.split("\n").find((line) => line.startsWith(`| ${pod} | `));
    expect(
      row
        ?.split("|")
        .slice(3, 5)
        .map((cell) => cell.trim().replace(/,.*/, "")),
    ).toEqual([String(cpu), memory]);
  }
});

it("docs/mesh.md lists every alert of the mesh", () => {
  const listed = [...page.matchAll(/^\| \[(\w+)\]\(operations\.md#(\w+)\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(mesh.alerts.map(({ alert }) => alert));
});
