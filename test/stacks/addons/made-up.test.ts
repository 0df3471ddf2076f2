/** One folder and one row make an add-on: `made-up/` and the row below are all that there is of this one. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EnvironmentRun } from "../../../offline/environment";
import type { RecordedResource } from "../../harness/deploy";

const TABLE = "../../../stacks/addons/table";

const section = { pool: "system", hostname: "notes.example.com" };
const turnedOn = { notes: section, notesToken: { secure: "v1:encrypted" } };

/** The program with the longer table: loaded anew, because files of one process share what is loaded. */
async function load() {
  vi.resetModules();
  vi.doMock(TABLE, async (original) => {
    const { ADDONS } = await original<typeof import("../../../stacks/addons/table")>();
    const { notes } = await import("./made-up/addon");
    return { ADDONS: [...ADDONS, notes] };
  });
  const [samples, environment, judge, schema, page, config] = await Promise.all([
    import("../config/samples"),
    import("../../../offline/environment"),
    import("../../../report/judge"),
    import("../../../stacks/config/json-schema"),
    import("../../../stacks/config/configuration-page"),
    import("../../../stacks/config"),
  ]);
  return { ...samples, ...environment, ...judge, ...schema, ...page, ...config };
}

let program: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  program = await load();
}, 60_000);
afterAll(() => {
  vi.doUnmock(TABLE);
  vi.resetModules();
});

function run(changes: Readonly<Record<string, unknown>> = turnedOn): Promise<EnvironmentRun> {
  const file = program.parseWith(changes);
  if (!file.ok) {
    throw new Error(program.formatProblems(file.problems));
  }
  return program.runEnvironment({ name: "test", file, baseDirectory: "." });
}

describe("the config of a made-up add-on", () => {
  const told = (changes: Readonly<Record<string, unknown>>) =>
    program.problemsWith(changes).map(({ path, fix }) => `${path}: ${fix}`);

  it("is accepted, and may be left out", () => {
    expect(told(turnedOn)).toEqual([]);
    expect(told({})).toEqual([]);
  });

  it("has errors of its own fields", () => {
    const notes = { ...section, nodes: 10, colour: "red" };
    expect(told({ ...turnedOn, notes })).toEqual([
      expect.stringMatching(/^notes\.nodes: .*9/),
      expect.stringMatching(/^notes\.colour: remove it/),
    ]);
  });

  it("asks for its secret, and for an encrypted one", () => {
    expect(program.problemsWith({ notes: section })).toMatchObject([
      {
        path: "notesToken",
        allowed: "a secret, with the section notes: notes are nobody else's",
        fix: "run pulumi config set --secret inference-stacks:notesToken",
      },
    ]);
    expect(program.problemsWith({ notes: section, notesToken: "plain" })).toMatchObject([
      { path: "notesToken", value: "(hidden)", allowed: "an encrypted value" },
    ]);
  });

  it("tells its rule beside the rules of others", () => {
    const models = { chat: { model: "qwen2.5-7b-instruct", pool: "gqu" } };
    expect(told({ ...turnedOn, models, notes: { ...section, pool: "nowhere" } })).toEqual([
      expect.stringMatching(/^models\.chat\.pool: /),
      "notes.pool: name one of them",
    ]);
  });

  it("stands in the JSON Schema and on the page", () => {
    expect(JSON.parse(program.schemaText())).toMatchObject({
      properties: {
        config: {
          properties: {
            "inference-stacks:notes": { properties: { nodes: { minimum: 1, maximum: 9 } } },
            "inference-stacks:notesToken": { properties: { secure: { type: "string" } } },
          },
        },
      },
    });
    const page = program.configurationPage();
    expect(page).toContain("\n## notes\n");
    expect(page).toContain("| `notes.nodes` | Nodes that they need. |");
    expect(page).toContain("| `notesToken` | Token of the notes. |");
  });
});

describe("the platform of a made-up add-on", () => {
  let made: EnvironmentRun;
  beforeAll(async () => {
    made = await run();
  }, 60_000);
  const named = (name: string): RecordedResource[] => made.recording.resources.filter((one) => one.name === name);

  it("has its resources, below its own component", () => {
    const [component] = named("platform-made-up");
    expect(component).toMatchObject({ type: "inference:notes:Notes" });
    expect(named("platform-made-up-settings")[0]?.parent).toBe(component?.urn);
    // What it asked for, beside what every add-on waits for.
    expect(component?.dependsOn.map((urn) => urn.split("::").at(-1))).toEqual(
      expect.arrayContaining(["platform-store", expect.stringMatching(/^platform-priority-/)]),
    );
  });

  it("gives it its secret, and the component of an add-on above it", () => {
    const [settings] = named("platform-made-up-settings");
    expect(settings?.secretInputs).toEqual(["stringData"]);
    expect(settings?.inputs.stringData).toEqual({
      token: "(secret)",
      metricsUrl: "http://metrics-prometheus.observability.svc:9090",
    });
  });

  it("opens its connections at both ends, and scrapes it", () => {
    const policiesWith = (connection: string) =>
      made.recording.resources
        .filter(({ type, inputs }) => type.endsWith(":NetworkPolicy") && JSON.stringify(inputs).includes(connection))
        .map(({ inputs }) => (inputs.metadata as { readonly namespace: string }).namespace);
    expect(new Set(policiesWith("notes-to-model-chat"))).toEqual(new Set(["notes", "model-chat"]));
    expect(new Set(policiesWith("prometheus-to-notes"))).toEqual(new Set(["notes", "observability"]));
    expect(named("platform-observability-monitors-notes")).toHaveLength(1);
  });

  it("routes to it, and watches it", () => {
    expect(named("platform-gateway-services-route-notes").map(({ inputs }) => inputs.spec)).toEqual([
      expect.objectContaining({ hostnames: ["notes.example.com"] }),
    ]);
    expect(JSON.stringify(named("platform-observability-rules"))).toContain("notes:written:sum");
    expect(named("platform-observability-dashboards-notes")).toHaveLength(1);
  });

  it("shows its output beside the others", () => {
    expect(made.recording.outputs).toMatchObject({ notes: "https://notes.example.com", grafana: expect.any(String) });
  });

  it("advises where nothing is wrong, and refuses where its own problem says so", async () => {
    expect(made.plan.problems.map(({ rule }) => rule)).toContain("notes-advice");
    const refused = await run({ ...turnedOn, notes: { ...section, nodes: 9 } });
    const { violations } = program.judge(refused);
    expect(violations).toContainEqual(
      expect.objectContaining({ policy: "notes-room", severity: "mandatory", resource: "notes.nodes" }),
    );
    expect(violations.map(({ policy }) => policy)).not.toContain("notes-advice");
  });

  it("has nothing of it where the section is missing", async () => {
    const { recording, plan } = await run({});
    expect(recording.resources.filter(({ name }) => name.startsWith("platform-made-up"))).toEqual([]);
    expect(JSON.stringify(recording.resources)).not.toContain("notes-to-model");
    expect(recording.outputs).not.toHaveProperty("notes");
    expect(plan.problems.map(({ rule }) => rule)).not.toContain("notes-advice");
  });
});
