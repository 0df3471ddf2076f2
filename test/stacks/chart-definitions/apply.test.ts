import { describe, expect, it } from "vitest";
import { applyDefinitions } from "../../../stacks/chart-definitions/apply";
import { BUNDLE_VERSION, definitionsOf } from "../../../stacks/chart-definitions/definition";

function definition(name: string, bundleVersion?: string): string {
  const annotations = bundleVersion === undefined ? "" : `  annotations:\n    ${BUNDLE_VERSION}: ${bundleVersion}\n`;
  const head = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n${annotations}  name: ${name}\n`;
  return `${head}spec:\n  group: example.com\n  names: {kind: CustomResourceDefinition}\n`;
}

const FILES = [
  `# licence\n---\n${definition("gateways.example.com", "v1.6.1")}---\n${definition("routes.example.com", "v1.6.1")}`,
  "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: no-definition\n",
  definition("proxies.example.com"),
];

/** Plays kubectl: what it is called with, and answers to `get`. */
function fakeKubectl(table: string) {
  const calls: { readonly args: readonly string[]; readonly input: string | undefined }[] = [];
  const run = async (_access: object, args: readonly string[], input?: string): Promise<string> => {
    calls.push({ args, input });
    return args[0] === "get" ? table : "";
  };
  return { calls, run };
}

describe("definitions in files of crds/", () => {
  it("are found by their kind, in files of several documents, with their release of Gateway API", () => {
    expect(definitionsOf(FILES).map(({ name, bundleVersion }) => [name, bundleVersion])).toEqual([
      ["gateways.example.com", "v1.6.1"],
      ["routes.example.com", "v1.6.1"],
      ["proxies.example.com", undefined],
    ]);
  });
});

describe("definitions of a chart", () => {
  it("are applied over older ones and over ones of no release, by force, until they are served", async () => {
    const { calls, run } = fakeKubectl("gateways.example.com   v1.4.1\nroutes.example.com   <none>\n");
    const { applied, newer } = await applyDefinitions(definitionsOf(FILES), { context: "prod" }, run);
    expect(applied).toHaveLength(3);
    expect(newer).toEqual([]);
    const [, apply, wait] = calls;
    expect(apply?.args).toEqual(expect.arrayContaining(["apply", "--server-side", "--force-conflicts", "-"]));
    expect(apply?.input?.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(3);
    expect(wait?.args.slice(-3)).toEqual([
      "crd/gateways.example.com",
      "crd/routes.example.com",
      "crd/proxies.example.com",
    ]);
  });

  it("leave a newer Gateway API of the cluster as it is", async () => {
    const { calls, run } = fakeKubectl("gateways.example.com   v1.10.0\nroutes.example.com   v1.6.1\n");
    const { newer } = await applyDefinitions(definitionsOf(FILES), {}, run);
    expect(newer.map(({ name }) => name)).toEqual(["gateways.example.com"]);
    expect(calls[1]?.input).not.toContain("name: gateways.example.com");
  });

  it("ask the cluster for nothing where none is of Gateway API", async () => {
    const { calls, run } = fakeKubectl("");
    await applyDefinitions(definitionsOf(FILES.slice(2)), {}, run);
    expect(calls.map(({ args }) => args[0])).toEqual(["apply", "wait"]);
  });
});
