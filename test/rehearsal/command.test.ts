import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/rehearse";
import { missingParts } from "../../rehearsal/needed-parts";
import { environmentIn, laptop, onA10, runPiped, useFolder } from "../cli/run";

const folder = useFolder();

function rehearse(...argv: string[]) {
  return runPiped(main, argv);
}

describe("npm run rehearse", () => {
  it("explains itself", async () => {
    const { status, out } = await rehearse("--help");
    expect(status).toBe(0);
    expect(out).toContain("--nodes POOL=N");
  });

  it.each([
    { what: "no environment", argv: [], says: "name one environment: aws-prod, dev" },
    { what: "two environments", argv: ["dev", "oci-h100"], says: "name one environment" },
    { what: "an unknown one", argv: ["oci-h1000"], says: 'did you mean "oci-h100"?' },
    { what: "an unknown option", argv: ["dev", "--node", "a=1"], says: "Unknown option '--node'" },
    { what: "a number of nodes without a pool", argv: ["dev", "--nodes", "3"], says: "--nodes 3: give a pool" },
    { what: "nodes by halves", argv: ["dev", "--nodes", "gpu=1.5"], says: "--nodes gpu=1.5: give a pool" },
    { what: "too many nodes", argv: ["dev", "--nodes", "gpu=201"], says: "0 to 200" },
    {
      what: "an autoscaler that nobody can try",
      argv: ["dev", "--autoscaler", "cluster-autoscaler"],
      says: "--autoscaler cluster-autoscaler: the only one that can be rehearsed is karpenter",
    },
    { what: "one pool twice", argv: ["dev", "--nodes", "a=1", "--nodes", "a=2"], says: "pool a is given twice" },
  ])("refuses $what", async ({ argv, says }) => {
    const { status, out, err } = await rehearse(...argv);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(says);
  });

  it("says every mistake in --nodes at once", async () => {
    const { err } = await rehearse("dev", "--nodes", "3", "--nodes", "b=x");
    expect(err).toContain("--nodes 3:");
    expect(err).toContain("--nodes b=x:");
  });

  it("says which clusters have Karpenter where one has none, and what works there", async () => {
    const { status, out, err } = await rehearse("oci-h100", "--autoscaler", "karpenter");
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain("Karpenter makes no nodes for oci-h100, whose cluster is oci with provision: create");
    expect(err).toContain("cluster.kind: aws, provision: create");
    expect(err).toContain("npm run rehearse -- oci-h100\n");
  });

  it("names the pools when one is unknown", async () => {
    const file = environmentIn(folder, laptop);
    const { status, err } = await rehearse("test", "--config", file, "--nodes", "gpu=1");
    expect([status, err]).toEqual([2, "--nodes: there is no pool gpu; pools of test: laptop\n"]);
  });

  it("rehearses nothing that must not be deployed, and says why", async () => {
    const file = environmentIn(folder, onA10({ contextTokens: 32768, concurrency: 4096 }));
    const { status, out, err } = await rehearse("test", "--config", file);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain("test must not be deployed, so there is nothing to rehearse");
    expect(err).toContain("GiB");
  });
});

describe("parts that are missing on this machine", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("are named all at once, with the command that installs them", async () => {
    const nowhere = join(folder, "nowhere");
    mkdirSync(nowhere);
    for (const variable of ["PATH", "XDG_CACHE_HOME", "KUBEBUILDER_ASSETS"]) {
      vi.stubEnv(variable, nowhere);
    }
    const missing = await missingParts(new Set(["LeaderWorkerSet.leaderworkerset.x-k8s.io"]));
    for (const binary of ["etcd", "kube-apiserver", "kube-scheduler", "kwok", "lws-manager"]) {
      expect(missing).toContainEqual(
        expect.stringMatching(new RegExp(`^${binary} is not installed.*npm run e2e:setup`)),
      );
    }
  });

  it("do not count the controller of groups where no model has any", async () => {
    vi.stubEnv("PATH", folder);
    vi.stubEnv("XDG_CACHE_HOME", folder);
    const missing = (await missingParts(new Set())).join("\n");
    expect(missing).not.toContain("lws-manager");
    expect(missing).not.toContain("karpenter");
  });

  it("count Karpenter where it makes the nodes", async () => {
    vi.stubEnv("PATH", folder);
    vi.stubEnv("XDG_CACHE_HOME", folder);
    expect((await missingParts(new Set(), { autoscaled: true })).join("\n")).toContain(
      "karpenter-kwok is not installed",
    );
  });
});
