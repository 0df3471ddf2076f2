/** The command line that we render, against the parser of a real vLLM. */
import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { groupArguments, rayGroupArguments, vllmArguments } from "../../../components/serving/vllm-args";
import type { ModelPlan } from "../../../planner/types";
import { requirePart } from "../../../rehearsal/parts/find";
import { container, deployServing, podTemplate } from "../../components/serving/fixture";
import upstream from "../../fixtures/upstream/vllm-flags.json";
import { adaptersPlan } from "../../harness/adapters";
import { groupPlan, modelPlan } from "../../harness/plans";

interface Flag {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly negation?: string;
}

const VLLM = ["-m", "vllm.entrypoints.cli.main", "serve"];

/** Of the part's release. */
let flags: ReadonlySet<string>;

beforeAll(() => {
  const help = execFileSync(requirePart("vllm-python"), [...VLLM, "--help=all"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // "  --name NAME, -n NAME": what is indented deeper explains it.
  const heads = help.split("\n").filter((line) => /^ {2}-/.test(line));
  flags = new Set(
    heads.flatMap((line) => [...line.matchAll(/(?:^|[\s,])(--[a-z][\w-]*)/g)].map(([, name = ""]) => name)),
  );
  expect(flags.size).toBeGreaterThan(300);
});

const single: readonly ModelPlan[] = [
  modelPlan(),
  modelPlan({ loading: "stream", kvCacheDtype: "fp8", maxNumSeqs: 64 }),
  modelPlan({ loadAs: { quantization: "fp8", dtype: "bfloat16" } }),
  modelPlan({ loadAs: { flag: "--allow-deprecated-quantization" } }),
  modelPlan({ gpuVendor: undefined, gpuModel: undefined }),
  modelPlan({ engineSettings: { sleepMode: true } }),
  modelPlan({ adapters: adaptersPlan() }),
  modelPlan({ chatTemplate: { file: "chat.jinja", text: "{{ messages }}" } }),
  modelPlan({ task: "embedding" }),
];

async function splitArguments(): Promise<readonly string[]> {
  const split = modelPlan({ engineSettings: { prefillDecode: { prefill: 1, decode: 1 } } });
  const { deployment } = await deployServing([split]);
  return ["prefill", "decode"].flatMap((role) => {
    const resource = deployment.resource("kubernetes:apps/v1:Deployment", `serving-${split.name}-${role}-deployment`);
    return container(podTemplate(resource).spec, "vllm").args ?? [];
  });
}

const namesIn = (words: readonly string[]) => words.flatMap((word) => /^--[\w-]+/.exec(word)?.[0] ?? []);

it("every flag that is rendered is in the help of the release before the pinned one", async () => {
  const words = [
    ...single.flatMap((model) => vllmArguments(model, "/m")),
    ...(["leader", "worker"] as const).flatMap((role) => groupArguments(groupPlan(), "/m", role)),
    ...rayGroupArguments(groupPlan(), "/m"),
    ...(await splitArguments()),
  ];
  const rendered = new Set(namesIn(words));
  for (const name of ["--enable-sleep-mode", "--lora-modules", "--kv-transfer-config", "--headless", "--load-format"]) {
    expect(rendered).toContain(name);
  }
  expect([...rendered].filter((name) => !flags.has(name))).toEqual([]);
});

describe("between that release and the pinned one", () => {
  const pinned: readonly Flag[] = upstream.flags.filter(({ name }) => name.startsWith("--"));
  const long = (names: readonly string[]) => names.filter((name) => name.startsWith("--"));

  it("these flags came, and none went", () => {
    const names = pinned.flatMap(({ name, aliases = [] }) => long([name, ...aliases]));
    expect(names.filter((name) => !flags.has(name)).sort()).toEqual([
      "--monokernel",
      "--reasoning-effort-map",
      "--sleep-mode-backend",
      "--watchdog-config",
    ]);
    const known = new Set([...names, ...pinned.map(({ name }) => `--no-${name.slice("--".length)}`)]);
    expect([...flags].filter((name) => !known.has(name))).toEqual(["--help"]);
  });

  it("the opposites of --enable-… and --disable-… got other names, so that we render the one that both take", () => {
    const renamed = pinned.filter(
      ({ name, negation }) => negation !== undefined && negation !== `--no-${name.slice(2)}`,
    );
    expect(renamed.length).toBeGreaterThan(40);
    for (const { name, negation = "" } of renamed) {
      expect(name).toMatch(/^--(enable|disable)-/);
      expect([negation, flags.has(negation)]).toEqual([negation, false]);
      const off = vllmArguments(modelPlan({ args: { [name.slice(2)]: false } }), "/m").at(-1);
      expect([off, flags.has(off ?? "")]).toEqual([`--no-${name.slice(2)}`, true]);
    }
  });
});
