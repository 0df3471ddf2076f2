/** What hostile clusters, hubs, registries, chart repositories, bundles and programs say, on the terminals of the commands that ask them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { stringify } from "yaml";
import { chart } from "../../catalog/charts";
import { imageDigests } from "../../catalog/image-digests";
import { HttpRegistry } from "../../charts/http-registry";
import { main as bundle } from "../../cli/bundle";
import { main as charts } from "../../cli/charts";
import { main as fleet } from "../../cli/fleet";
import { guarded } from "../../cli/io";
import { main as pins } from "../../cli/pins";
import { Trial } from "../../cli/try/trial";
import type { RehearsalReport } from "../../rehearsal/report/schema";
import { terminalReport } from "../../rehearsal/report/terminal";
import { BUNDLE_FILE, type BundleFile, bundleText } from "../../stacks/bundle/bundle-file";
import { LocalTools } from "../harness/local-tools/local-tools";
import { facts, podFact, workloadFact } from "../rehearsal/fixture";
import { environmentText } from "../stacks/texts";
import { evilCluster } from "./evil-cluster";
import { here } from "./fleet/here";
import { EVIL, expectHarmless, guardedTerminalOf, terminalOf } from "./hostile";
import { environmentIn, laptop, useFolder } from "./run";
import { closeServers, listen } from "./smoke-servers";

const folder = useFolder();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
afterAll(closeServers);

/** A model that is copied from the hub, so that a bundle has something to fetch. */
const served = {
  ...laptop,
  models: { chat: { model: "qwen2.5-0.5b-instruct", engine: "vllm", contextTokens: 4096, concurrency: 2 } },
};

/** A server that answers each path with these bodies, and all others with one. @param other @default 404 */
async function answering(bodies: Readonly<Record<string, unknown>>, other?: unknown): Promise<string> {
  const { url } = await listen((request, response) => {
    const body = bodies[request.url ?? ""] ?? other;
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
  return url;
}

/** Text that reached the terminal: none of it moves anything, and what it repeats of strangers is there to read. */
function expectTold(text: string) {
  expectHarmless(text);
  expect(text).toMatch(/PWNED|FORGED/);
}

/** A rehearsal on a control plane that says nothing else. */
function evilReport(): RehearsalReport {
  const pod = podFact({ namespace: EVIL, name: EVIL, node: EVIL, ready: false, waitsFor: EVIL });
  const refused = [{ object: EVIL, reason: EVIL }];
  return {
    ...facts({
      objects: { applied: 1, refused },
      workloads: [workloadFact({ namespace: EVIL, name: EVIL, missing: EVIL, pods: [pod] })],
    }),
    ok: false,
    findings: [{ severity: "broken", rule: "pods", subject: EVIL, message: EVIL }],
    phases: [],
    seconds: 1,
  };
}

describe("what strangers say", () => {
  it("to fleet status: a cluster of a node", async () => {
    const place = join(folder, "fleet");
    mkdirSync(join(place, "kubeconfigs"), { recursive: true });
    writeFileSync(join(place, "base.yaml"), environmentText(laptop));
    writeFileSync(join(place, "fleet.yaml"), stringify({ extends: "base.yaml", nodes: { one: {} } }));
    const argv = ["status", join(place, "fleet.yaml"), "--kubeconfigs", join(place, "kubeconfigs")];
    const shown: string[] = [];
    for (const refuses of [false, true]) {
      await evilCluster(join(place, "kubeconfigs", "one.yaml"), { refuses });
      for (const more of [[], ["--json"]]) {
        const { text } = await guardedTerminalOf((io) => fleet([...argv, ...more], io, here));
        expectHarmless(text);
        shown.push(text);
      }
    }
    expect(shown.join("")).toContain("PWNED");
  });

  it("to model: a repository of a hub", async () => {
    const sha = "0123456789abcdef0123456789abcdef01234567";
    const config = { architectures: [EVIL], model_type: EVIL, quantization_config: { quant_method: EVIL } };
    const files = { [`/o/n/resolve/${sha}/config.json`]: config };
    const hub = await answering({
      ...files,
      "/api/models/o/n/revision/main": { sha, siblings: [{ rfilename: EVIL }] },
    });
    vi.stubEnv("HF_ENDPOINT", hub);
    expectTold((await terminalOf("model", "hf://o/n")).text);
  });

  it("to pins: a registry of images", async () => {
    const host = (await answering({}, { mediaType: EVIL, manifests: [] })).replace("http://", "");
    const place = {
      ...{ rows: () => [], today: new Date(), digests: imageDigests, registry: new HttpRegistry() },
      ...{ images: [`${host}/a/b:1`], file: join(folder, "image-digests.json") },
    };
    for (const argv of [["--digests"], ["--digests", "--json"]]) {
      expectTold((await guardedTerminalOf((io) => pins(argv, io, place))).text);
    }
  });

  it("to charts: repositories of both kinds", async () => {
    const index = { apiVersion: "v1", entries: { "cert-manager": [{ version: EVIL, digest: EVIL, urls: [EVIL] }] } };
    const layers = [{ mediaType: EVIL, digest: `sha256:${EVIL}`, size: EVIL }];
    const url = await answering(
      { "/helm/index.yaml": stringify(index) },
      { schemaVersion: 2, mediaType: EVIL, layers },
    );
    const place = {
      charts: [
        { ...chart("cert-manager"), repository: `${url}/helm` },
        { ...chart("lws"), repository: `oci://${url.replace("http://", "")}/charts/lws` },
      ],
      project: folder,
      cache: join(folder, "cache"),
    };
    for (const argv of [[], ["--json"]]) {
      expectHarmless((await guardedTerminalOf((io) => charts(argv, io, place))).text);
    }
  });

  it("to bundle: what fetches images, chart repositories, hubs, and the list of a bundle that somebody made", async () => {
    const tools = new LocalTools([]);
    onTestFinished(() => tools.remove());
    tools.write("evil", EVIL);
    tools.program("crane", `#!/bin/sh\ncat "$LOCAL_TOOLS/evil" >&2\nexit 1\n`);
    vi.stubEnv("LOCAL_TOOLS", tools.folder);
    vi.stubGlobal("fetch", async () => new Response(EVIL));
    const config = environmentIn(folder, served);
    const root = join(folder, "bundle");
    const argv = ["test", "--config", config, "--out", root];
    const env = { ...process.env, PATH: tools.bin };
    expectTold((await guardedTerminalOf((io) => bundle(argv, io, env))).text);
    const digest = `sha256:${"1".repeat(64)}`;
    const license = EVIL;
    const path = "images/\u202e\u061cPWNED.tar";
    const made: BundleFile = {
      ...{ format: 1, environment: EVIL, made: "2026-11-23T12:00:00.000Z", platforms: [EVIL], charts: [], models: [] },
      images: [{ reference: EVIL, path, digest, license }],
      files: [{ path, bytes: 1, sha256: "1".repeat(64) }],
    };
    writeFileSync(join(root, BUNDLE_FILE), bundleText(made));
    expectTold((await guardedTerminalOf((io) => bundle([...argv, "--verify"], io, env))).text);
  });

  it("to rehearse: objects, events and names of a control plane", () => {
    const parts: string[] = [];
    const write = (text: string) => void parts.push(text);
    const io = guarded({ out: write, err: write, color: true });
    io.out(terminalReport(evilReport(), { color: true }));
    expectTold(parts.join(""));
  });

  it("to try: programs of this computer", async () => {
    const tools = new LocalTools(["docker", "k3d"]);
    onTestFinished(() => tools.remove());
    tools.write("evil", EVIL);
    for (const program of ["pulumi", "kubectl", "docker", "podman", "k3d", "kind"]) {
      tools.program(program, `#!/bin/sh\ncat "$LOCAL_TOOLS/evil"\ncat "$LOCAL_TOOLS/evil" >&2\n`);
    }
    const env = { PATH: tools.bin, LOCAL_TOOLS: tools.folder };
    const { text, status } = await guardedTerminalOf((io) =>
      new Trial(tools.folder, env, io).run({ tool: undefined, question: EVIL, chat: false, remove: false }),
    );
    expect(status).toBe(1);
    expectTold(text);
  });
});
