import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NODE_ACCESS_LOG } from "../../../components/node/access-log";
import { NODE_CLUSTERS } from "../../../components/node/envoy-names";

const page = readFileSync(join(__dirname, "../../../docs/nodes.md"), "utf8");
const begin = page.indexOf("## Watching a node");
const section = page.slice(begin, page.indexOf("\n## ", begin + 1));

describe("docs/nodes.md, Watching a node", () => {
  it("has every field of the log, and no other", () => {
    const table = section.slice(section.indexOf("| Field |"));
    const told = table
      .split("\n")
      .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(told.sort()).toEqual([...Object.keys(NODE_ACCESS_LOG), "group", "model"].sort());
  });

  it("calls the Envoy's clusters by their names", () => {
    const named = [...section.matchAll(/envoy_cluster_name="(\w+)"/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([NODE_CLUSTERS.engine, NODE_CLUSTERS.health]));
  });
});
