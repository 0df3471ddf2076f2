import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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
  let nowhere = "";
  beforeEach(() => {
    nowhere = join(folder, "nowhere");
    mkdirSync(nowhere, { recursive: true });
    for (const variable of ["PATH", "XDG_CACHE_HOME", "KUBEBUILDER_ASSETS"]) {
      vi.stubEnv(variable, nowhere);
    }
  });
  afterEach(() => vi.unstubAllEnvs());

  const names = async (...kinds: string[]) => (await missingParts(new Set(kinds)))?.names;

  it("are named all at once", async () => {
    expect(await names()).toEqual(["etcd", "kubernetes", "kwok", "crds"]);
  });

  it("count the controllers of what the environment has", async () => {
    expect(await names("LeaderWorkerSet.leaderworkerset.x-k8s.io")).toContain("lws");
    expect(await names("RayService.ray.io")).toContain("kuberay");
  });

  it("count Karpenter where it makes the nodes", async () => {
    expect((await missingParts(new Set(), { autoscaled: true }))?.names).toContain("karpenter");
  });

  it("come with why what is there is not used", async () => {
    const old = join(folder, "old");
    mkdirSync(old);
    writeFileSync(join(old, "etcd"), "#!/bin/sh\necho etcd Version: 3.4.30\n", { mode: 0o755 });
    vi.stubEnv("PATH", old);
    expect((await missingParts(new Set()))?.skipped).toEqual([`${join(old, "etcd")} is 3.4.30, older than 3.5.0`]);
  });

  describe("where a rehearsal is asked for", () => {
    const COMMAND = 'Install with "npm run e2e:setup -- etcd kubernetes kwok crds", or rehearse with --install.';
    const file = environmentIn(folder, laptop);
    const run = (answer?: string, ...argv: string[]) => {
      const questions: string[] = [];
      const ask = async (question: string) => {
        questions.push(question);
        return answer ?? "";
      };
      return runPiped(main, ["test", "--config", file, ...argv], answer === undefined ? {} : { ask }).then(
        (result) => ({ ...result, questions }),
      );
    };
    beforeEach(() => {
      vi.stubEnv("INFERENCE_STACKS_RELEASES", "off");
      vi.stubEnv("GOPROXY", "off");
    });

    it("are listed with how each would be got, and the command", async () => {
      vi.stubEnv("INFERENCE_STACKS_RELEASES", undefined);
      const { status, out, err } = await run();
      expect([status, out]).toEqual([2, ""]);
      expect(err).toContain("test cannot be rehearsed yet. Not installed on this machine:");
      expect(err).toMatch(/^ {2}kubernetes {2}(download of some \d+ MB, or )?build by Go of some \d+ min$/m);
      expect(err).toContain(COMMAND);
    });

    it("are not said to be downloaded where that is off", async () => {
      const { err } = await run();
      expect(err).toMatch(/^ {2}etcd +build by Go of some 1 min$/m);
      expect(err).toContain("Builds of etcd, kubernetes, kwok need Go 1.26, which is not on PATH");
    });

    it.each(["", "n", "yellow"])("are left alone after the answer %j", async (answer) => {
      const { status, err, questions } = await run(answer);
      expect([status, questions]).toEqual([2, [expect.stringMatching(/^Install into .*nowhere.*\? \[y\/N\] $/)]]);
      expect(err).toContain(COMMAND);
    });

    it.each([
      { how: "after the answer y", argv: [], answer: "y", asked: 1 },
      { how: "without a question with --install", argv: ["--install"], answer: "n", asked: 0 },
    ])("are installed $how, and what fails is said", async ({ argv, answer, asked }) => {
      const { status, out, err, questions } = await run(answer, ...argv);
      expect([status, out, questions.length]).toEqual([2, "", asked]);
      for (const part of ["etcd", "kubernetes", "kwok", "crds"]) {
        expect(err).toMatch(new RegExp(`✗ ${part} failed: .*go is not on PATH`));
      }
    });
  });
});
