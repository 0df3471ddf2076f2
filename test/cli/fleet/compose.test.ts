/** A node's environment: which file each value and each problem is of, what it inherits of secrets, and when its file may be written. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { ComposedNode } from "../../../cli/fleet/compose";
import { digestOf, generatedText, readOwnFile } from "../../../cli/fleet/generated";
import { openFleet } from "../../../cli/fleet/open";
import { writeFleet } from "../../../cli/fleet/write";
import { repositoryRoot } from "../../../names/repository-root";
import { parseEnvironmentFile } from "../../../stacks/config";
import { atNight } from "../../harness/property-runs";
import { environmentText } from "../../stacks/texts";
import { laptop, useFolder } from "../run";

const folder = useFolder();
let folders = 0;

/** A folder with a fleet and a base; `files` are further ones. */
function fleetIn(fleet: string, base = environmentText(laptop), files: Readonly<Record<string, string>> = {}): string {
  folders += 1;
  const place = join(folder, `fleet-${folders}`);
  mkdirSync(place);
  for (const [name, text] of Object.entries({ "fleet.yaml": fleet, "base.yaml": base, ...files })) {
    writeFileSync(join(place, name), text);
  }
  return place;
}

function opened(place: string) {
  const found = openFleet(join(place, "fleet.yaml"), []);
  if ("problem" in found) {
    throw new Error(found.problem);
  }
  return found;
}

function nodeIn(place: string, index = 0): ComposedNode {
  const node = opened(place).nodes[index];
  if (node === undefined) {
    throw new Error("no node");
  }
  return node;
}

/** Values of the node by section. */
function configOf({ text = "" }: ComposedNode): Record<string, unknown> {
  const { config } = parse(text) as { config: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key.replace("inference-stacks:", ""), value]),
  );
}

const ONE = "extends: base.yaml\nnodes:\n  one:\n";

/** What the environment's own checks find, each with the file and line that it is told with. */
function placesOf(node: ComposedNode): string[] {
  const parsed = parseEnvironmentFile(node.text ?? "");
  return parsed.ok ? [] : parsed.problems.map(node.located).map(({ file, line, path }) => `${file}:${line} ${path}`);
}

describe("a node", () => {
  it("is what it inherits, with what all share over it, and its own values over both", () => {
    const fleet = `extends: base.yaml
config: { gateway: { hostname: all.example.internal }, storage: { registryGbps: 1 } }
nodes:
  one: { config: { gateway: { hostname: one.example.internal, exposure: null }, "aws:region": eu-west-1 } }
  two:
`;
    const place = fleetIn(fleet);
    expect(configOf(nodeIn(place))).toEqual({
      ...laptop,
      gateway: { hostname: "one.example.internal", tls: { kind: "self-signed" } },
      storage: { registryGbps: 1 },
      "aws:region": "eu-west-1",
    });
    expect(configOf(nodeIn(place, 1))).toMatchObject({
      gateway: { ...laptop.gateway, hostname: "all.example.internal" },
    });
  });

  it("needs to inherit nothing, and may inherit an environment of the repository by its name", () => {
    const whole = stringify({ nodes: { one: { config: laptop }, two: { extends: "dev" } } });
    const place = fleetIn(whole);
    expect(configOf(nodeIn(place))).toEqual(laptop);
    expect(configOf(nodeIn(place, 1))).toMatchObject({ cluster: { kind: "local" }, stage: "development" });
  });

  it("plans exactly what is written", () => {
    const place = fleetIn(ONE);
    const { text } = nodeIn(place);
    expect(writeFleet(opened(place)).nodes).toMatchObject([{ state: "written", file: "Pulumi.one.yaml" }]);
    expect(readFileSync(join(place, "Pulumi.one.yaml"), "utf8")).toBe(text);
    expect(nodeIn(place).fileState).toBe("current");
    expect(writeFleet(opened(place)).nodes).toMatchObject([{ state: "unchanged" }]);
  });
});

describe("a problem names the file and line of its value", () => {
  const base = environmentText({
    ...laptop,
    pools: { laptop: { role: "cpu", node: { vcpus: "many", memoryGiB: 16 } } },
  });

  it.each([
    {
      what: "the node's own",
      fleet: `${ONE}    config:\n      models:\n        chat: { contextLength: 9 }\n`,
      told: "fleet.yaml:6 models.chat.contextLength",
    },
    {
      what: "with its namespace",
      fleet: `${ONE}    config:\n      inference-stacks:stage: prod\n`,
      told: "fleet.yaml:5 stage",
    },
    {
      what: "a misspelt namespace",
      fleet: `${ONE}    config:\n      inference-stack:stage: production\n`,
      told: "fleet.yaml:5 config.inference-stack:stage",
    },
    { what: "an unknown section", fleet: `${ONE}    config:\n      modles: {}\n`, told: "fleet.yaml:5 modles" },
    { what: "what all share", fleet: `config:\n  stage: prod\n${ONE}`, told: "fleet.yaml:2 stage" },
  ])("$what", ({ fleet, told }) => {
    expect(placesOf(nodeIn(fleetIn(fleet)))).toEqual([told]);
  });

  it("an inherited one: that of the file that it inherits, and how to differ", () => {
    const node = nodeIn(fleetIn(ONE, base));
    const line = base.split("\n").findIndex((text) => text.includes("vcpus")) + 1;
    expect(placesOf(node)).toEqual([`base.yaml:${line} pools.laptop.node.vcpus`]);
    const parsed = parseEnvironmentFile(node.text ?? "");
    const [problem] = parsed.ok ? [] : parsed.problems.map(node.located);
    expect(problem?.fix).toContain("under nodes.one.config of fleet.yaml (null takes away)");
  });

  it("whatever the node changes: a problem of a value stands where the value does", () => {
    const bad = fc.constantFrom("own", "shared", "base");
    fc.assert(
      fc.property(bad, fc.boolean(), fc.integer({ min: 0, max: 5 }), (where, withOthers, blank) => {
        const wrong = "{ models: { chat: { concurrency: none } } }";
        const right = "{ models: { chat: { contextTokens: 2048 } } }";
        const lines = [
          "extends: base.yaml",
          ...Array.from({ length: blank }, () => "# …"),
          `config: ${where === "shared" ? wrong : withOthers ? right : "{}"}`,
          "nodes:",
          `  one: { config: ${where === "own" ? wrong : withOthers ? right : "{}"} }`,
        ];
        const broken = { ...laptop, models: { chat: { ...laptop.models.chat, concurrency: "none" } } };
        const text = environmentText(where === "base" ? broken : laptop);
        const told = placesOf(nodeIn(fleetIn(`${lines.join("\n")}\n`, text)));
        const number =
          where === "base"
            ? text.split("\n").findIndex((each) => each.includes("none"))
            : lines.findIndex((each) => each.includes("none"));
        expect(told).toEqual([
          `${where === "base" ? "base.yaml" : "fleet.yaml"}:${number + 1} models.chat.concurrency`,
        ]);
      }),
      { numRuns: atNight(30) },
    );
  });

  it("a null over nothing, without what follows from it", () => {
    const node = nodeIn(fleetIn(`${ONE}    config: { pools: { latpop: { node: null } } }\n`));
    expect(node.problems).toMatchObject([
      { file: "fleet.yaml", line: 4, path: "pools.latpop.node", fix: "remove the line, or correct its key" },
    ]);
  });
});

describe("what cannot be inherited", () => {
  it.each([
    { what: "a missing environment", name: "deev", says: 'did you mean "dev"?' },
    { what: "a missing file", name: "./none.yaml", says: "correct the path" },
    { what: "the fleet", name: "fleet.yaml", says: "a fleet does not inherit itself" },
    { what: "another fleet", name: "other.yaml", says: "name what it inherits" },
    { what: "what a fleet wrote", name: "Pulumi.made.yaml", says: "name what it inherits" },
    { what: "an environment that inherits", name: "chain.yaml", says: "name what it inherits" },
  ])("$what", ({ name, says }) => {
    const place = fleetIn(`nodes: { one: { extends: ${name} }, two: { extends: base.yaml } }\n`, undefined, {
      "other.yaml": ONE,
      "chain.yaml": `extends: base.yaml\n${environmentText(laptop)}`,
      "Pulumi.made.yaml": generatedText({ fileName: "fleet.yaml", folder: repositoryRoot() }, "made", { config: {} }),
    });
    const { nodes } = opened(place);
    expect(nodes[0]?.problems).toMatchObject([{ file: "fleet.yaml", line: 1, path: "nodes.one.extends" }]);
    expect(nodes[0]?.problems[0]?.fix).toContain(says);
    expect(nodes[1]?.problems).toEqual([]);
  });

  it("a file that is no YAML: each node that inherits it says its name and line", () => {
    const node = nodeIn(fleetIn(ONE, "config:\n\tx: 1\n"));
    expect(node.problems).toMatchObject([{ file: "base.yaml", line: 2 }]);
  });
});

describe("secrets", () => {
  const token = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
  const other = { secure: "v1:BBBBBBBBBBBBBBBB:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB" };
  const withToken = environmentText({ ...laptop, huggingFaceToken: token });

  it("of a stack survive every writing, with the key that opens them", () => {
    const place = fleetIn(ONE);
    writeFleet(opened(place));
    const file = join(place, "Pulumi.one.yaml");
    // As pulumi config set --secret leaves it: comments stay, the salt comes first.
    const [comments = ""] = readFileSync(file, "utf8").split("config:");
    const { config } = parse(readFileSync(file, "utf8")) as { config: object };
    const set = { encryptionsalt: "v1:own", config: { ...config, "inference-stacks:huggingFaceToken": token } };
    writeFileSync(file, `${comments}${stringify(set)}`);
    expect(nodeIn(place).fileState).toBe("current");
    writeFileSync(join(place, "fleet.yaml"), `${ONE}    config: { gateway: { hostname: new.example.internal } }\n`);
    expect(nodeIn(place).fileState).toBe("outdated");
    expect(writeFleet(opened(place)).nodes).toMatchObject([{ state: "written" }]);
    const written = parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>;
    expect(written.encryptionsalt).toBe("v1:own");
    expect(written.config?.["inference-stacks:huggingFaceToken"]).toEqual(token);
    expect(written.config?.["inference-stacks:gateway"]).toMatchObject({ hostname: "new.example.internal" });
  });

  it("of a base come with its key, where the stack has none yet", () => {
    const node = nodeIn(fleetIn(ONE, `encryptionsalt: v1:base\n${withToken}`));
    expect(parse(node.text ?? "")).toMatchObject({
      encryptionsalt: "v1:base",
      config: { "inference-stacks:huggingFaceToken": token },
    });
    expect(node.notes).toEqual([]);
  });

  it.each([
    { what: "has another key", base: `encryptionsalt: v1:base\n${withToken}`, own: "encryptionsalt: v1:own\n" },
    {
      what: "holds secrets of Pulumi Cloud",
      base: `encryptionsalt: v1:base\n${withToken}`,
      own: stringify({ config: { "inference-stacks:registryCredentials": other } }),
    },
    { what: "would get them without a key", base: withToken, own: "config: {}\n" },
  ])("of a base stay there, and that is said, where the stack $what", ({ base, own }) => {
    const node = nodeIn(fleetIn(ONE, base, { "Pulumi.one.yaml": own }));
    expect(node.problems).toEqual([]);
    expect(configOf(node)).not.toHaveProperty("huggingFaceToken");
    expect(node.notes).toEqual([
      expect.stringMatching(
        /^inference-stacks:huggingFaceToken of base\.yaml is encrypted for another stack.* -s one --config-file \/.*\/Pulumi\.one\.yaml$/,
      ),
    ]);
  });

  it("in the fleet's file are refused without being shown, plain ones too", () => {
    const encrypted = nodeIn(fleetIn(`${ONE}    config:\n      huggingFaceToken: { secure: v1:abc }\n`));
    expect(encrypted.problems).toMatchObject([
      {
        line: 5,
        value: "(hidden)",
        fix: expect.stringMatching(
          /run pulumi .* --secret inference-stacks:huggingFaceToken -s <node> --config-file '\/.*\/Pulumi\.<node>\.yaml': /,
        ),
      },
    ]);
    const plain = nodeIn(fleetIn(`${ONE}    config:\n      huggingFaceToken: hf_abcdefghijklmnop\n`));
    expect(placesOf(plain)).toEqual(["fleet.yaml:5 huggingFaceToken"]);
    const parsed = parseEnvironmentFile(plain.text ?? "");
    expect(JSON.stringify(parsed.ok || parsed.problems.map(plain.located))).not.toContain("hf_abcdefghijklmnop");
  });
});

describe("a node's file is not overwritten", () => {
  it("when somebody wrote it by hand", () => {
    const text = environmentText({ ...laptop, stage: "production" });
    const place = fleetIn(ONE, undefined, { "Pulumi.one.yaml": text });
    expect(nodeIn(place)).toMatchObject({
      fileState: "foreign",
      problems: [{ file: "Pulumi.one.yaml", value: expect.stringContaining("inference-stacks:stage") }],
    });
    expect(writeFleet(opened(place))).toMatchObject({ ok: false, nodes: [{ state: "left" }] });
    expect(readFileSync(join(place, "Pulumi.one.yaml"), "utf8")).toBe(text);
  });

  it("when somebody changed a value in it", () => {
    const place = fleetIn(ONE);
    writeFleet(opened(place));
    const file = join(place, "Pulumi.one.yaml");
    const edited = readFileSync(file, "utf8").replace("vcpus: 8", "vcpus: 9");
    writeFileSync(file, edited);
    expect(nodeIn(place).problems).toMatchObject([{ value: expect.stringContaining("inference-stacks:pools") }]);
    expect(writeFleet(opened(place)).ok).toBe(false);
    expect(readFileSync(file, "utf8")).toBe(edited);
  });

  it("but is, when it holds nothing but secrets or the very same values", () => {
    const place = fleetIn(ONE, undefined, { "Pulumi.one.yaml": "encryptionsalt: v1:own\n" });
    expect(writeFleet(opened(place)).nodes).toMatchObject([{ state: "written" }]);
    expect(parse(readFileSync(join(place, "Pulumi.one.yaml"), "utf8"))).toMatchObject({ encryptionsalt: "v1:own" });
    // A release of Pulumi that keeps no comments.
    const bare = stringify(parse(readFileSync(join(place, "Pulumi.one.yaml"), "utf8")));
    writeFileSync(join(place, "Pulumi.one.yaml"), bare);
    expect(nodeIn(place).problems).toEqual([]);
  });

  it("and one of a node that is gone is told, not removed", () => {
    const place = fleetIn(`${ONE}  two:\n`);
    writeFleet(opened(place));
    writeFileSync(join(place, "fleet.yaml"), ONE);
    expect(writeFleet(opened(place)).leftOver).toEqual(["Pulumi.two.yaml"]);
  });
});

describe("a generated file", () => {
  it("says where a secret goes, with its own path where pulumi would not find it", () => {
    const head = (folder: string) => generatedText({ fileName: "fleet.yaml", folder }, "oslo", {}).split("\n")[1];
    const command = "# Secrets alone belong here, and stay: pulumi config set --secret <key> -s oslo";
    expect(head(repositoryRoot())).toBe(command);
    expect(head(join(repositoryRoot(), "offices"))).toBe(`${command} --config-file <path of this file>`);
  });

  /** Words that one reader of YAML or another takes for a number, a date, a truth value or nothing. */
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("yes", "on", "0600", "0x1f", "1:30", "2026-11-23", "null", "~", "1e3", "1_000"),
  );
  const values = fc.dictionary(
    fc.constantFrom("a:b", "c:d"),
    fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word)),
    { noNullPrototype: true },
  );

  it("says what was put in, and knows whether it was touched", () => {
    fc.assert(
      fc.property(values, values, (config, edited) => {
        const text = generatedText({ fileName: "fleet.yaml", folder: repositoryRoot() }, "one", { config });
        expect((parse(text) as { config: object }).config).toEqual(config);
        expect((parse(text, { version: "1.1" }) as { config: object }).config).toEqual(config);
        expect(readOwnFile(text).isUntouched).toBe(true);
        const head = text.split("\nconfig:")[0] ?? "";
        const isSame = digestOf(config) === digestOf(edited);
        expect(readOwnFile(`${head}\n${stringify({ config: edited })}`).isUntouched).toBe(isSame);
      }),
    );
  });
});
