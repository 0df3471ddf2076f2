import { describe, expect, it } from "vitest";
import type { EnvironmentConfig, PoolConfig } from "../../stacks/config";
import { poolPlaces } from "../../stacks/pool-places";

type Cluster = EnvironmentConfig["cluster"];

const pool = {} as PoolConfig;
const oke = (region: string) => ({ kind: "oci", provision: "create", oke: { region } }) as Cluster;
const eks = { kind: "aws", provision: "create", eks: { zones: ["us-east-1a", "us-east-1b"] } } as Cluster;

describe("where nodes of a pool are", () => {
  it.each([
    ["a region with one domain", oke("eu-zurich-1"), 1],
    ["a region with three", oke("eu-frankfurt-1"), 3],
    ["a region that is not listed", oke("xx-elsewhere-1"), 3],
    ["a region on AWS", eks, 6],
    ["an existing cluster", { kind: "oci", provision: "existing" } as Cluster, 6],
  ])("are at most as many zones as %s has", (_, cluster, zones) => {
    expect(poolPlaces(pool, cluster).most).toMatchObject({ zones });
  });

  it.each([
    ["availabilityDomains", oke("eu-frankfurt-1")],
    ["zones", eks],
    ["uptime.zones", { kind: "aws", provision: "existing" } as Cluster],
    ["uptime.zones", { kind: "local", provision: "existing" } as Cluster],
  ])("is stated by %s", (setting, cluster) => {
    expect(poolPlaces(pool, cluster).zoneSetting).toBe(setting);
  });
});
