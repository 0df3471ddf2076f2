import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { environmentNamed } from "../../cli/read-environment";
import { repositoryRoot } from "../../names/repository-root";
import { runEnvironment } from "../../offline/environment";
import type { RecordedResource } from "../../offline/run";
import { hasUnmappedNetwork, type NetworkMap, networkMap } from "../../report/network/network-map";
import { networkPicture } from "../../report/network/picture";
import { networkMarkdown, networkText, noNetworkText } from "../../report/network/tables";

async function resourcesOf(name: string): Promise<readonly RecordedResource[]> {
  const environment = environmentNamed(name);
  if ("problem" in environment) {
    throw new Error(environment.problem);
  }
  return (await runEnvironment(environment)).recording.resources;
}

describe.each(["oci-a10", "oci-h100"])("the network of %s", (name) => {
  let map: NetworkMap;
  let resources: readonly RecordedResource[];

  beforeAll(async () => {
    resources = await resourcesOf(name);
    const found = networkMap(resources);
    if (found === undefined) {
      throw new Error("no network");
    }
    map = found;
  }, 60_000);

  it("is on a page and in a picture: those of oci-a10, with its own name", () => {
    // Otherwise: npm run plan -- oci-a10 --network docs/environments/network/oci-a10.md, and .svg.
    const page = (ending: string) =>
      readFileSync(join(repositoryRoot(), "docs/environments/network", `oci-a10.${ending}`), "utf8").replaceAll(
        "oci-a10",
        name,
      );
    expect(networkMarkdown(name, map, `${name}.svg`)).toBe(page("md"));
    expect(networkPicture(name, map)).toBe(page("svg"));
  });

  it("opens both ends of every connection", () => {
    expect(map.connections.length).toBeGreaterThan(20);
    expect(map.connections.filter(({ closedAt }) => closedAt !== undefined)).toEqual([]);
  });

  it("has all of it in the picture", () => {
    expect(networkPicture(name, map)).not.toContain("also:");
  });

  it("says at which end a connection is closed, and draws it no more", () => {
    const less = resources.filter((resource) => !resource.name.endsWith("nodes-api-out"));
    const closed = networkMap(less);
    const api = closed?.connections.filter(
      ({ from, to, on }) => from === "nodes" && to === "endpoint" && on === "TCP 6443",
    );
    expect(api).toMatchObject([{ closedAt: "nodes" }]);
    expect(closed && networkText(name, closed)).toContain("NOTHING GETS THROUGH: nodes has no rule for it");
    expect(closed && networkPicture(name, closed)).not.toBe(networkPicture(name, map));
  });

  it("lists in the picture what it has no arrow for", () => {
    const { connections } = map;
    const odd = { from: "pods", to: "load-balancers", on: "TCP 25", reason: "mail" };
    expect(networkPicture(name, { ...map, connections: [...connections, odd] })).toContain(
      "also: pods to load-balancers, TCP 25",
    );
  });
});

it("is nothing where a cluster exists", async () => {
  const resources = await resourcesOf("edge-nvidia");
  expect(networkMap(resources)).toBeUndefined();
  expect(noNetworkText("edge-nvidia", hasUnmappedNetwork(resources))).toContain("edge-nvidia makes no network");
}, 60_000);

it("is not drawn on AWS, which is said", () => {
  const vpc: RecordedResource = { urn: "urn", type: "aws:ec2/vpc:Vpc", name: "vpc", inputs: {} } as RecordedResource;
  expect(networkMap([vpc])).toBeUndefined();
  expect(noNetworkText("aws-prod", hasUnmappedNetwork([vpc]))).toMatch(/on AWS.*docs\/eks\.md/);
});
