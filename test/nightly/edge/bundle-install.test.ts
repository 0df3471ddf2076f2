/**
 * edge-nvidia from a bundle, where nothing else can be reached: the engine, its providers and the machine that it installs over
 * SSH are in a network of their own without a route. This file runs itself again in there.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeBundle } from "../../../bundle/make";
import { bundleNeeds } from "../../../bundle/needs";
import { k3sFor } from "../../../catalog/k3s";
import { waitingPods } from "../../../rehearsal/cluster/pods";
import { BUNDLE_FILE } from "../../../stacks/bundle/bundle-file";
import { FakeRegistry } from "../../bundle/registry";
import { fakeHub } from "../../components/storage/fakes";
import { REPOSITORY } from "../../components/storage/repository";
import { contentOf, webOf, writeContentCatalog } from "../../e2e/edge/bundle-content";
import { Checkout, documentedCommands } from "../../e2e/edge/checkout";
import type { Machine } from "../../e2e/edge/machine/machine";
import { RELEASE } from "../../e2e/edge/machine/release";
import { packetsWithoutRoute } from "../../e2e/edge/packets-without-route";
import { withoutRoute } from "../../e2e/edge/without-route";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { programRun } from "../../stacks/run";

/** Names the bundle to the run that nothing can be reached from. */
const BUNDLE = "E2E_BUNDLE";
/** Set aside for documentation (RFC 5737, 3849 and 2606): nobody else asks for them. */
const ADDRESS = "203.0.113.1";
const ADDRESS_OF_IPV6 = "2001:db8::1";
const NAME = "registry.example.com";
/** Of what runs inside. */
const TIMEOUT_MS = 300_000;

const given = process.env[BUNDLE];
if (given === undefined) {
  outside();
} else {
  inside(given);
}

function outside(): void {
  describe("edge-nvidia from a bundle, in a network without a route", () => {
    let root: string;

    beforeAll(async () => {
      // The machine has this one's disk below its own, but for /tmp.
      root = mkdtempSync("/var/tmp/inference-stacks-bundle-");
      const registry = new FakeRegistry();
      const needs = contentOf(bundleNeeds(await programRun("edge-nvidia")), registry, k3sPart);
      const hub = await fakeHub(REPOSITORY);
      vi.stubGlobal("fetch", webOf(needs, k3sPart));
      try {
        await makeBundle(needs, root, {
          registry,
          hub: { endpoint: hub.url, token: undefined },
          chartPins: () => undefined,
        });
      } finally {
        vi.unstubAllGlobals();
        await hub.close();
      }
    }, 120_000);

    afterAll(() => rmSync(root, { recursive: true, force: true }));

    it("is deployed, and nobody outside is asked for anything", { timeout: TIMEOUT_MS + 60_000 }, async () => {
      const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.nightly.config.mts"];
      const run = await withoutRoute(process.execPath, [...vitest, __filename, "--reporter=default"], {
        timeoutMs: TIMEOUT_MS + 30_000,
        env: { [BUNDLE]: root },
      });
      expect([run.status, run.status === 0 ? "" : run.out + run.err]).toEqual([0, ""]);
      // The one that is asked for in there to show that names are noted.
      expect(new Set(run.asked)).toEqual(new Set([NAME]));
    });
  });
}

function k3sPart(name: string): Buffer {
  if (name === "install.sh") {
    return RELEASE.installer;
  }
  return name.includes("images") ? RELEASE.images : RELEASE.binary;
}

function inside(bundle: string): void {
  describe("make install of edge-nvidia from the bundle's folder", { timeout: TIMEOUT_MS }, () => {
    const { images } = JSON.parse(readFileSync(join(bundle, BUNDLE_FILE), "utf8"));
    const checkout = sharedBySuite(() =>
      Checkout.start("edge-nvidia", {}, (project) => writeContentCatalog(project, { images })),
    );
    const [, init = "", key = ""] = documentedCommands("edge-nvidia", "ssh-keyscan");

    it("makes the cluster and the platform, and neither side asks anybody else", async () => {
      checkout().nameMachine();
      await checkout().must(init);
      await checkout().must(key);
      const { output } = await checkout().type(`make install ENV=edge-nvidia BUNDLE=${bundle} ARGS=--yes`);
      // The check at its end asks the cluster alone.
      expect(output).toContain("the gateway has no certificate");
      const plan = await checkout().must("npm run -s plan -- --config Pulumi.edge-nvidia.yaml --json");
      expect(output).toMatch(new RegExp(`^ +\\+ ${JSON.parse(plan).resources.length} created$`, "m"));
      const { machine, surroundings } = checkout();
      expect(await waitingPods(surroundings.plane.client)).toEqual([]);
      // Now, because connections that the stop of all of it cuts off look for a way too.
      expect(packets(machine)).toBe(0);
      expect([machine.network.names.asked, machine.downloads.asked]).toEqual([[], []]);
    });

    it("has brought every image of the bundle to where k3s looks for them", () => {
      const folder = "/var/lib/rancher/k3s/agent/images/";
      const there = [...checkout().machine.written().keys()].filter((path) => path.startsWith(folder));
      const images = [...readdirSync(join(bundle, "images")), k3sFor("amd64").images.file];
      expect(there.sort()).toEqual(images.map((name) => `${folder}${name}`).sort());
    });

    it("would have been seen to ask: what either side tries is counted", async () => {
      const { machine } = checkout();
      await machine.command("curl", "--silent", "--max-time", "5", `http://${ADDRESS}/`);
      const ofMachine = packets(machine);
      expect(ofMachine).toBeGreaterThan(0);
      await machine.command("curl", "--silent", "--max-time", "5", `http://[${ADDRESS_OF_IPV6}]/`);
      expect(packets(machine)).toBeGreaterThan(ofMachine);
      await machine.command("curl", "--silent", "--max-time", "5", `http://${NAME}/`);
      expect(new Set(machine.network.names.asked)).toEqual(new Set([NAME]));
      const before = packets(machine);
      for (const host of [ADDRESS, NAME]) {
        await expect(fetch(`http://${host}/`)).rejects.toThrow("fetch failed");
      }
      expect(packets(machine)).toBeGreaterThan(before);
    });
  });
}

/** What the kernel counts of all that runs here, and on the machine; what that sends anywhere else by IPv4 comes by here. */
function packets(machine: Machine): number {
  const here = packetsWithoutRoute((name) => readFileSync(`/proc/net/${name}`, "utf8"));
  return here + packetsWithoutRoute((name) => machine.networkFile(name));
}
