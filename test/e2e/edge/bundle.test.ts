/**
 * A bundle of edge-nvidia made with crane and a real registry, and then used where nothing can be reached: whatever asks for
 * a name, or sends a packet to another machine, is counted.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { makeBundle, verifyBundle } from "../../../bundle/make";
import { type BundleNeeds, bundleNeeds } from "../../../bundle/needs";
import { craneRegistry } from "../../../bundle/registry";
import { HttpRegistry } from "../../../charts/http-registry";
import { fillDigests } from "../../../cli/pins/digests";
import { repositoryRoot } from "../../../names/repository-root";
import { requirePart } from "../../../rehearsal/parts/find";
import type { BundleFile } from "../../../stacks/bundle/bundle-file";
import { FakeRegistry } from "../../bundle/registry";
import { type FakeHub, fakeHub } from "../../components/storage/fakes";
import { REPOSITORY } from "../../components/storage/repository";
import { programRun } from "../../stacks/run";
import { copySources } from "../engine/project";
import { contentOf, webOf, writeContentCatalog } from "./bundle-content";
import { LocalRegistry } from "./local-registry";
import { type Isolated, withoutRoute } from "./without-route";

const K3S_PART = Buffer.from("k3s");

let folder: string;
let root: string;
let registry: LocalRegistry;
let hub: FakeHub;
let needs: BundleNeeds;
let bundle: BundleFile;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bundle-e2e-"));
  root = join(folder, "bundle");
  registry = await LocalRegistry.start();
  hub = await fakeHub(REPOSITORY);
  needs = await neededHere();
  vi.stubGlobal(
    "fetch",
    webOf(needs, () => K3S_PART),
  );
  bundle = await makeBundle(needs, root, {
    registry: registry.behind(craneRegistry(requirePart("crane"))),
    hub: { endpoint: hub.url, token: undefined },
    chartPins: () => undefined,
  });
  vi.unstubAllGlobals();
}, 120_000);

afterAll(async () => {
  vi.unstubAllGlobals();
  registry?.stop();
  await hub?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What edge-nvidia needs, with content of the test in a real registry behind every name. */
async function neededHere(): Promise<BundleNeeds> {
  const fake = new FakeRegistry();
  const found = contentOf(bundleNeeds(await programRun("edge-nvidia")), fake, () => K3S_PART);
  await registry.push(fake);
  return found;
}

describe("a bundle made with crane", () => {
  it("holds every part of the environment, and what its checksums say", async () => {
    expect(bundle.images.map(({ reference }) => reference)).toEqual(needs.images.map(({ reference }) => reference));
    expect(bundle.charts).toHaveLength(needs.charts.length);
    expect(bundle.models.map(({ repository }) => repository)).toEqual(needs.models.map(({ repository }) => repository));
    expect(await verifyBundle(root, bundle)).toEqual([]);
    execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: root });
  });

  it("holds images under the digests by which their registry has them, of the nodes' platform alone", () => {
    const crane = requirePart("crane");
    for (const { reference, digest, path } of bundle.images) {
      const known = execFileSync(crane, ["digest", `${registry.host}/${reference.replace(/@.*/, "")}`], {
        encoding: "utf8",
      });
      expect(digest).toBe(known.trim());
      const layout = join(folder, "layout");
      mkdirSync(layout);
      execFileSync("tar", ["-xf", join(root, path), "-C", layout]);
      const { manifests } = JSON.parse(readFileSync(join(layout, "index.json"), "utf8"));
      const blob = (each: string) => readFileSync(join(layout, "blobs/sha256", each.replace("sha256:", "")));
      const index = JSON.parse(String(blob(manifests[0].digest)));
      expect(createHash("sha256").update(blob(digest)).digest("hex")).toBe(digest.replace("sha256:", ""));
      const [own, other] = index.manifests as { digest: string }[];
      const { config, layers } = JSON.parse(String(blob(own?.digest ?? "")));
      expect(JSON.parse(String(blob(config.digest)))).toMatchObject({ os: "linux", architecture: "amd64" });
      expect(blob(layers[0].digest).length).toBe(layers[0].size);
      expect(() => blob(other?.digest ?? "")).toThrow("ENOENT");
      rmSync(layout, { recursive: true });
    }
  });

  it("is of the digests that npm run pins -- --digests reads from the registry", async () => {
    const asked = bundle.images.map(({ reference }) => `${registry.host}/${reference.replace(/@.*/, "")}`);
    const none = { about: "", digests: [], byTag: [] };
    const { list, rows } = await fillDigests(none, asked, new HttpRegistry(), "2026-11-28");
    expect(rows.filter(({ state }) => state !== "added")).toEqual([]);
    expect(list.digests.map(({ digest }) => digest).sort()).toEqual(bundle.images.map(({ digest }) => digest).sort());
  });

  it("gives an image back that a registry takes under the digest that it had", async () => {
    // Without its index, which names images that the archive leaves out.
    const [first] = bundle.images;
    const layout = join(folder, "single");
    mkdirSync(layout);
    execFileSync("tar", ["-xf", join(root, first?.path ?? ""), "-C", layout]);
    const top = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")).manifests[0];
    const index = JSON.parse(readFileSync(join(layout, "blobs/sha256", top.digest.replace("sha256:", "")), "utf8")) as {
      manifests: { digest: string }[];
    };
    writeFileSync(
      join(layout, "index.json"),
      JSON.stringify({ schemaVersion: 2, manifests: index.manifests.slice(0, 1) }),
    );
    const pushed = `${registry.host}/round/trip:1`;
    execFileSync(requirePart("crane"), ["push", layout, pushed], { stdio: "pipe" });
    const digest = execFileSync(requirePart("crane"), ["digest", pushed], { encoding: "utf8" }).trim();
    expect(digest).toBe(index.manifests[0]?.digest);
    execFileSync(requirePart("crane"), ["validate", "--remote", pushed], { stdio: "pipe" });
  });
});

describe("where nothing can be reached", () => {
  const cli = (...args: string[]) => withoutRoute(process.execPath, [command, ...args]);
  let command: string;
  let file: string;

  beforeAll(async () => {
    const project = copySources(folder);
    writeContentCatalog(project, needs);
    command = join(project, "cli", "run.mjs");
    execFileSync(process.execPath, [command, "--build"], { cwd: project });
    const environment = parse(readFileSync(join(repositoryRoot(), "Pulumi.edge-nvidia.yaml"), "utf8"));
    environment.config["inference-stacks:cluster"].k3s = { bundle: root };
    file = join(folder, "Pulumi.site.yaml");
    writeFileSync(file, stringify(environment));
  });

  function expectNobodyAsked({ withoutRoute: packets, asked }: Isolated): void {
    expect({ packets, asked }).toEqual({ packets: 0, asked: [] });
  }

  it("is seen by what counts: a packet to another machine, and a question for a name", async () => {
    const packet = await withoutRoute(process.execPath, ["-e", 'fetch("http://203.0.113.1/").catch(() => {})']);
    expect(packet.withoutRoute).toBeGreaterThan(0);
    const question = await withoutRoute(process.execPath, [
      "-e",
      'fetch("http://registry.example.com/").catch(() => {})',
    ]);
    expect(new Set(question.asked)).toEqual(new Set(["registry.example.com"]));
    expectNobodyAsked(await withoutRoute(process.execPath, ["-e", "0"]));
  });

  it("the program of the environment runs with the bundle, and asks nobody", async () => {
    const run = await cli("plan", "--config", file, "--json");
    const { environment, violations } = JSON.parse(run.out);
    expect(violations.filter(({ severity }: { severity: string }) => severity === "mandatory")).toEqual([]);
    expect([run.err, run.status, environment]).toEqual(["", 0, "site"]);
    expectNobodyAsked(run);
  });

  it("the bundle is compared with what the environment needs, and nobody is asked", async () => {
    const run = await cli("bundle", "--config", file, "--out", root, "--verify");
    expect([run.err, run.status]).toEqual(["", 0]);
    expect(run.out).toContain("each is what bundle.json says");
    expectNobodyAsked(run);
  });

  it("a sync Job's script reads its model from the folder, and asks nobody but the store", async () => {
    const [model] = bundle.models;
    const script = `
      const { FolderRepository } = require("./components/storage/scripts/folder.ts");
      (async () => {
        const folder = new FolderRepository(...process.argv.slice(1));
        const commit = await folder.commit("main");
        let bytes = 0;
        for (const file of await folder.files()) {
          for await (const chunk of folder.download(commit, file)) bytes += chunk.byteLength;
        }
        console.log(commit, bytes);
      })();`;
    const args = [model?.repository ?? "", join(root, "models", model?.folder ?? ""), model?.manifestSha256 ?? ""];
    const run = await withoutRoute(process.execPath, ["--import", "tsx", "-e", script, ...args]);
    expect([run.err, run.status]).toEqual(["", 0]);
    expect(run.out).toMatch(new RegExp(`^${model?.commit} [1-9]`));
    expectNobodyAsked(run);
  });

  it("making a bundle there fails with what could not be reached: the count is of real attempts", async () => {
    const crane = requirePart("crane");
    const run = await withoutRoute("env", [
      `PATH=${join(crane, "..")}:${process.env.PATH}`,
      process.execPath,
      command,
      "bundle",
      "--config",
      file,
      "--out",
      join(folder, "other"),
    ]);
    expect(run.status).toBe(1);
    expect(run.err).toContain("parts could not be had");
    expect(run.asked).toContain("huggingface.co");
  });
});
