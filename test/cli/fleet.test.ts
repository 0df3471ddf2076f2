/**
 * The command, whose nodes are planned in this process; where it says so, by workers as people have them: processes of the bundle.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { LIMITS } from "../../cli/cluster/cluster-api";
import { main } from "../../cli/fleet";
import { fleetPlanSchema, fleetStatusSchema, nodePlanSchema } from "../../cli/fleet/result";
import { statusSchema } from "../../cli/status/result";
import { repositoryRoot } from "../../names/repository-root";
import { environmentText } from "../stacks/texts";
import { here } from "./fleet/here";
import { laptop, runPiped, useFolder } from "./run";
import { closeServers, listen } from "./smoke-servers";

const folder = useFolder();
let folders = 0;

/** Path of a fleet's file in a folder of its own, beside `base.yaml`, a laptop. */
function fleetOf(content: object | string): string {
  folders += 1;
  const place = join(folder, `fleet-${folders}`);
  mkdirSync(place);
  writeFileSync(join(place, "base.yaml"), environmentText(laptop));
  const file = join(place, "fleet.yaml");
  writeFileSync(file, typeof content === "string" ? content : stringify(content));
  return file;
}

const impatient = { ...here, limits: { ...LIMITS, requestSeconds: 4 } };

const fleet = (...argv: string[]) => runPiped((args, io) => main(args, io, impatient), argv);
const fleetOfProcesses = (...argv: string[]) => runPiped(main, argv);

async function planned(content: object | string, ...argv: string[]) {
  const { status, out, err } = await fleet("plan", fleetOf(content), "--json", ...argv);
  return { status, err, report: fleetPlanSchema.parse(JSON.parse(out)) };
}

/** A node that differs from the laptop in its name alone. */
const named = (name: string) => ({ config: { gateway: { hostname: `${name}.example.internal` } } });

/** One more request than memory has room for. */
const tooLarge = { config: { models: { chat: { concurrency: 4000 } } } };

describe("fleet plan", () => {
  const names = Array.from({ length: 4 }, (_, i) => `box-${String(i).padStart(2, "0")}`);

  it("by processes, of four nodes with a slip in one, tells that one's name, file and line, and reports the others", async () => {
    const lines = [
      "extends: base.yaml",
      "nodes:",
      ...names.flatMap((name) => [
        `  ${name}:`,
        "    config:",
        `      gateway: { hostname: ${name}.example.internal }`,
      ]),
    ];
    const slip = lines.indexOf("  box-02:") + 2;
    lines[slip] = "      gateway: { hostnam: box-02.example.internal }";
    const file = fleetOf(`${lines.join("\n")}\n`);
    const { status, out, err } = await fleetOfProcesses("plan", file);
    expect([status, err]).toEqual([2, ""]);
    expect(out.match(/^✓ box-\d\d +deployable/gm)).toHaveLength(3);
    expect(out.match(/^✗ box-02 +bad input/gm)).toHaveLength(1);
    expect(out).toContain(`✗ box-02\n  1. gateway.hostnam (fleet.yaml line ${slip + 1})\n     value    "hostnam"\n`);
    expect(out).toContain('     fix      did you mean "hostname"?\n');
    expect(out).toContain("3 deployable · 1 with bad input · 3 models on 3 machines");
  });

  it("ends with 0 when every node is deployable, and sums them up", async () => {
    const { status, err, report } = await planned({
      extends: "base.yaml",
      nodes: { one: named("one"), two: named("two") },
    });
    expect([status, err]).toEqual([0, ""]);
    expect(report).toMatchObject({
      ok: true,
      fleet: "fleet.yaml",
      totals: { nodes: 2, deployable: 2, models: 2, machines: 2, monthlyUsd: 0 },
    });
    expect(report.nodes.map(({ name, verdict, file }) => [name, verdict, file])).toEqual([
      ["one", "deployable", "missing"],
      ["two", "deployable", "missing"],
    ]);
  });

  it("ends with 1 when a node is refused, and with 2 when one has a mistake", async () => {
    const refused = { extends: "base.yaml", nodes: { one: named("one"), large: tooLarge } };
    const { status, out } = await fleet("plan", fleetOf(refused));
    expect(status).toBe(1);
    expect(out).toMatch(/^✓ one +deployable/m);
    expect(out).toMatch(/^✗ large\n {2}✗ model-fits models\.chat\n/m);
    const both = await planned({ ...refused, nodes: { ...refused.nodes, off: { extends: "nothing" } } });
    expect(both.status).toBe(2);
    expect(both.report.nodes.map(({ verdict }) => verdict)).toEqual(["deployable", "refused", "bad-input"]);
    expect(both.report.totals).toMatchObject({ deployable: 1, refused: 1, badInput: 1, failed: 0 });
  });

  it("has each node's plan in it, as plan --json has it but the resources", async () => {
    const { report } = await planned({ extends: "base.yaml", nodes: { one: named("one") } });
    const [node] = report.nodes;
    expect(node?.resources).toBeGreaterThan(50);
    expect(nodePlanSchema.parse(node?.plan)).toMatchObject({ environment: "one", deployable: true });
  });

  it("of a file that it wrote is the plan of that environment", async () => {
    const file = fleetOf({ extends: "base.yaml", nodes: { one: named("one") } });
    await fleet("write", file);
    const before = fleetPlanSchema.parse(JSON.parse((await fleet("plan", file, "--json")).out));
    const { main: plan } = await import("../../cli/plan");
    const { out } = await runPiped(plan, ["one", "--config", join(file, "..", "Pulumi.one.yaml"), "--json"]);
    const { resources, ...alone } = JSON.parse(out) as { resources: unknown[] };
    expect(before.nodes).toMatchObject([{ file: "current", plan: alone, resources: resources.length }]);
  });

  it("tells a mistake that is in no line of a file, such as in a config.json, under its node", async () => {
    const models = { chat: { model: null, config: "./config.json", source: "hf://example/chat" } };
    const file = fleetOf({
      extends: "base.yaml",
      nodes: { one: named("one"), two: { extends: "edge-nvidia", config: { models } } },
    });
    writeFileSync(join(file, "..", "config.json"), "{}");
    const { status, out } = await fleet("plan", file);
    expect(status).toBe(2);
    expect(out).toMatch(/^✓ one +deployable/m);
    expect(out).toMatch(/^✗ two\n(.+\n)*.*config\.json/m);
    expect(out).not.toMatch(/\n\s+at /);
  });

  it("refuses one machine for two nodes, however its address is written, and lets two ports of one be two", async () => {
    const at = (address: string, port = 22) => ({
      config: { cluster: { kind: "edge", provision: "create", hosts: { box: { address, port } } } },
    });
    const nodes = {
      one: at("2001:db8::5"),
      two: at("2001:DB8:0:0::5"),
      three: at("2001:db8::5", 2222),
      four: at("box"),
    };
    const { report } = await planned({ extends: "base.yaml", nodes });
    const told = report.nodes.flatMap(({ name, problems }) =>
      problems.flatMap(({ path, allowed }) => (path === "cluster.hosts.box.address" ? [`${name}: ${allowed}`] : [])),
    );
    expect(told).toEqual([
      "one: a machine of its own; two has this one too",
      "two: a machine of its own; one has this one too",
    ]);
  });

  it("refuses one context for two nodes, and names the others", async () => {
    const cluster = { kubeContext: "prod" };
    const nodes = {
      one: { config: { cluster } },
      two: { config: { cluster } },
      three: { config: { cluster: { kubeContext: "three" } } },
    };
    const { status, report } = await planned({ extends: "base.yaml", nodes });
    expect(status).toBe(2);
    expect(
      report.nodes.map(({ verdict, problems }) => [
        verdict,
        problems.map(({ path, allowed }) => `${path}: ${allowed}`),
      ]),
    ).toEqual([
      ["bad-input", ["cluster.kubeContext: a cluster of its own; two has this context too"]],
      ["bad-input", ["cluster.kubeContext: a cluster of its own; one has this context too"]],
      ["deployable", []],
    ]);
  });

  it("the fleet of this repository is deployable", async () => {
    const { status, out, err } = await fleet("plan", join(repositoryRoot(), "fleet.yaml"), "--json");
    expect([status, err]).toEqual([0, ""]);
    expect(
      fleetPlanSchema.parse(JSON.parse(out)).nodes.map(({ name, problems, notes }) => [name, problems, notes]),
    ).toEqual([
      ["berlin-01", [], []],
      ["paris-01", [], []],
      ["oslo-01", [], []],
    ]);
  });
});

describe("a command line or file that cannot be used ends with 2, before any node is planned", () => {
  const right = { extends: "base.yaml", nodes: { one: named("one") } };

  it.each([
    { argv: [], says: "say what to do: plan, status, write" },
    { argv: ["plna"], says: 'fleet cannot "plna"; did you mean "plan"?' },
    { argv: ["plan", "a.yaml", "b.yaml"], says: "name one file, not 2; nodes are named with --node: a.yaml, b.yaml" },
    { argv: ["plan", "--workers", "many"], says: '--workers is "many"; it takes a whole number from 1' },
    { argv: ["status", "--kubeconfigs", "/none"], says: "--kubeconfigs /none is no folder" },
    { argv: ["plan", "/none/fleet.yaml"], says: "cannot read /none/fleet.yaml: it does not exist; correct the path" },
    { argv: ["plan", "--frobnicate"], says: "--frobnicate" },
  ])("$argv", async ({ argv, says }) => {
    const { status, out, err } = await fleet(...argv);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).not.toMatch(/\n\s+at /);
  });

  it("names the nodes that there are, and the nearest", async () => {
    const { status, err } = await fleet("plan", fleetOf(right), "--node", "onee");
    expect([status, err]).toEqual([2, 'fleet.yaml has no node "onee" (did you mean "one"?)\n']);
  });

  it.each([
    { what: "empty", text: "", says: "an empty file" },
    { what: "a list", text: "- one\n", says: "no mapping of keys" },
    { what: "without nodes", text: "extends: dev\n", says: "write nodes:" },
    { what: "with a node twice", text: "nodes:\n  one: {}\n  one: {}\n", says: "keys at line 3" },
    { what: "with a slip above the nodes", text: "extend: dev\nnodes:\n  one:\n", says: 'did you mean "extends"?' },
    {
      what: "with two bases",
      text: "extends: [dev, edge-nvidia]\nnodes:\n  one:\n",
      says: "the file that it names inherits nothing itself",
    },
    {
      what: "with an encrypted value for all",
      text: "config: { huggingFaceToken: { secure: v1:x } }\nnodes: { one: }\n",
      says: "an encrypted one belongs to one stack",
    },
    {
      what: "with sections outside config",
      text: "nodes:\n  one:\ncluster: { kind: edge }\n",
      says: "are under config:",
    },
  ])("a file $what", async ({ text, says }) => {
    const { status, out, err } = await fleet("plan", fleetOf(text));
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).toMatch(/^fleet\.yaml: \d+ problem/);
  });

  it("tells all that is wrong with how the file is written at once", async () => {
    const { err } = await fleet("plan", fleetOf("nodez: 1\nextends: 7\nnodes:\n  one: { confg: {} }\n  a b: 3\n"));
    expect(err).toContain("fleet.yaml: 5 problems");
    for (const place of ["nodez (line 1)", "extends (line 2)", "nodes.one.confg (line 4)", 'nodes["a b"] (line 5)']) {
      expect(err).toContain(place);
    }
  });
});

describe("fleet write", () => {
  it("writes the files of the nodes that are right, tells the others, and leaves nothing else", async () => {
    const file = fleetOf({ extends: "base.yaml", nodes: { one: named("one"), off: { config: { stage: "prod" } } } });
    const { status, out } = await fleet("write", file);
    expect(status).toBe(2);
    expect(readdirSync(join(file, "..")).sort()).toEqual(["Pulumi.one.yaml", "base.yaml", "fleet.yaml"]);
    expect(readFileSync(join(file, "..", "Pulumi.one.yaml"), "utf8")).toMatch(
      /^# Generated from fleet\.yaml by "npm run fleet -- write"/,
    );
    expect(out).toContain("✗ off: its file was not written\n  1. stage (fleet.yaml line ");
    expect(out).toContain(
      `Next: pulumi stack init one (once), then pulumi up -s one --policy-pack policies --config-file ${join(dirname(file), "Pulumi.one.yaml")}\n`,
    );
  });

  it("again writes nothing, and ends with 0", async () => {
    const file = fleetOf({ extends: "base.yaml", nodes: { one: named("one"), two: named("two") } });
    expect((await fleet("write", file)).out).toContain("2 files written");
    const before = readFileSync(join(file, "..", "Pulumi.one.yaml"), "utf8");
    const { status, out } = await fleet("write", file);
    expect([status, out]).toEqual([0, expect.stringContaining("0 files written · 2 unchanged")]);
    expect(readFileSync(join(file, "..", "Pulumi.one.yaml"), "utf8")).toBe(before);
  });
});

describe("fleet status", () => {
  afterAll(closeServers);

  function kubeconfig(server: string): string {
    return JSON.stringify({
      "current-context": "default",
      clusters: [{ name: "default", cluster: { server } }],
      contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
      users: [{ name: "default", user: {} }],
    });
  }

  it("asks every node: one that is silent, gone, or named by nobody holds up no other", {
    timeout: 180_000,
  }, async () => {
    const nothing: RequestListener = (_, response) => response.end(JSON.stringify({ kind: "List", items: [] }));
    const missing: RequestListener = (request, response) => {
      const isList = /\/(pods|events)\?/.test(request.url ?? "");
      response.writeHead(isList ? 200 : 404);
      nothing(request, response);
    };
    const file = fleetOf({
      extends: "base.yaml",
      nodes: {
        asked: named("a"),
        silent: named("b"),
        gone: named("c"),
        unnamed: named("d"),
        off: { config: { stage: "prod" } },
      },
    });
    const kubeconfigs = join(file, "..", "kubeconfigs");
    mkdirSync(kubeconfigs);
    writeFileSync(join(kubeconfigs, "asked.yaml"), kubeconfig((await listen(missing)).url));
    writeFileSync(join(kubeconfigs, "silent.yml"), kubeconfig((await listen(() => {})).url));
    const gone = await listen(nothing);
    gone.close();
    writeFileSync(join(kubeconfigs, "gone"), kubeconfig(gone.url));

    const argv = ["status", file, "--kubeconfigs", kubeconfigs, "--timeout", "30"];
    const { status, out } = await fleet(...argv, "--json");
    expect(status).toBe(2);
    const report = fleetStatusSchema.parse(JSON.parse(out));
    expect(report.totals).toEqual({ nodes: 5, well: 0, unwell: 1, notAsked: 3, badInput: 1, failed: 0 });
    const [asked, silent, goneNode, unnamed, off] = report.nodes;
    expect(statusSchema.parse(asked?.status)).toMatchObject({
      environment: "asked",
      ok: false,
      models: [{ name: "chat", state: "absent" }],
    });
    expect(silent).toMatchObject({
      verdict: "not-asked",
      failure: expect.stringContaining("gives no answer within 4 s"),
    });
    expect(goneNode).toMatchObject({
      verdict: "not-asked",
      failure: expect.stringContaining("nothing listens at 127.0.0.1"),
    });
    expect(unnamed?.failure).toContain("pulumi stack output kubeconfig --show-secrets -s unnamed");
    expect(off).toMatchObject({ verdict: "bad-input", problems: [{ file: "fleet.yaml", path: "stage" }] });
  });

  it("ends what a cluster still owes when its time is over", async () => {
    const file = fleetOf({ extends: "base.yaml", nodes: { slow: named("slow") } });
    const kubeconfigs = join(file, "..", "kubeconfigs");
    mkdirSync(kubeconfigs);
    let isOpen = 0;
    const { url } = await listen((request) => {
      isOpen += 1;
      request.socket.once("close", () => {
        isOpen -= 1;
      });
    });
    writeFileSync(join(kubeconfigs, "slow.yaml"), kubeconfig(url));
    const argv = ["status", file, "--kubeconfigs", kubeconfigs, "--timeout", "1"];
    const { status, out } = await runPiped((args, io) => main(args, io, here), argv);
    expect([status, out]).toEqual([1, expect.stringContaining("its cluster did not say all within 1 s")]);
    await expect.poll(() => isOpen, { timeout: 5000 }).toBe(0);
  });
});
