/** aws-prod in one stack, and the same in two: what controllers in the cluster need of AWS goes from the one to the other. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { clusterOutputs } from "../../components/cluster/cluster-outputs";
import { useFolder } from "../cli/run";
import { contentOf, render, shippedRendering } from "../render/run";
import { changedRun, type ProgramRun, programRun } from "./run";
import { changedText } from "./texts";

const ENVIRONMENT = "aws-prod";
const STACK = "acme/inference-stacks/aws-prod-cluster";
const TO_PLATFORM = { scope: "platform", cluster: { kind: "aws", provision: "stack", stackReference: STACK } };

const folder = useFolder();
let all: ProgramRun;
let cluster: ProgramRun;
let platform: ProgramRun;
beforeAll(async () => {
  all = await programRun(ENVIRONMENT);
  cluster = await changedRun(ENVIRONMENT, { scope: "cluster" });
  platform = await changedRun(ENVIRONMENT, TO_PLATFORM);
}, 120_000);

const ofAws = ({ resources }: ProgramRun) => resources.filter(({ type }) => type.startsWith("aws:"));
const objects = ({ resources }: ProgramRun) =>
  resources
    .filter(({ type, inputs }) => type.startsWith("kubernetes:") && inputs.kind !== "StorageClass")
    .map(({ urn, inputs, options, secretInputs }) => ({ urn, inputs: withoutCost(inputs), options, secretInputs }));

describe("aws-prod in two stacks", () => {
  it("has all of AWS in the cluster's, which reaches no Kubernetes API", () => {
    expect(ofAws(cluster)).toEqual(ofAws(all));
    expect(ofAws(cluster).length).toBeGreaterThan(40);
    expect(objects(cluster)).toEqual([]);
    expect(ofAws(platform)).toEqual([]);
  });

  it("has the objects of one stack in the platform's", () => {
    // Of the cluster's stack an offline run knows no names and ids: what holds some is there, and is compared as rendered files.
    const waits = new Set(
      objects(platform).flatMap(({ urn, inputs }) => (JSON.stringify(inputs).includes("offline-aws.") ? [urn] : [])),
    );
    const known = (run: ProgramRun) => objects(run).filter(({ urn }) => !waits.has(urn));
    expect(known(platform)).toEqual(known(all));
    expect(known(platform).length).toBeGreaterThan(200);
    expect(objects(platform).map(({ urn }) => urn)).toEqual(objects(all).map(({ urn }) => urn));
    const names = [...waits].map((urn) => urn.slice(urn.lastIndexOf("::") + 2)).sort();
    expect(names).toEqual([
      "platform-karpenter-class-h100",
      "platform-karpenter-class-l4",
      "platform-karpenter-class-l40s",
      "platform-karpenter-class-system",
      "platform-karpenter-controller",
      "platform-load-balancers-controller",
    ]);
  });

  it("tells the one of the other in an output that names what controllers need", () => {
    const { cluster: said } = cluster.recording.outputs;
    const told = clusterOutputs.parse({ ...(said as object), kubeconfig: "secret" });
    expect(told).toMatchObject({ kind: "aws", loadBalancer: "aws" });
    expect(told.aws).toMatchObject({
      clusterName: ENVIRONMENT,
      region: "us-east-1",
      karpenter: { discovery: { key: "karpenter.sh/discovery", value: ENVIRONMENT } },
    });
  });

  it("renders to the same files, byte by byte", async () => {
    const one = await shippedRendering(ENVIRONMENT);
    const [file, out] = [join(folder, "platform.yaml"), join(folder, "platform")];
    writeFileSync(file, changedText(ENVIRONMENT, TO_PLATFORM));
    const two = await render(ENVIRONMENT, "--config", file, "--out", out);
    expect([one.status, one.err, two.status, two.err]).toEqual([0, "", 0, ""]);
    // But for the page for whoever applies them, which also has what the plan advises.
    const compared = (files: ReadonlyMap<string, string>) =>
      new Map(
        [...files]
          .filter(([path]) => path !== "README.md" && path !== ".inference-stacks.json")
          .map(([path, text]) => [
            path,
            path.includes("inference-plan") ? withoutCostLines(text) : withoutCostRule(text),
          ]),
      );
    expect(compared(contentOf(out))).toEqual(compared(one.files));
  }, 120_000);
});

/** The same, but for the cost in the plan that the cluster keeps, and its rule: the other stack does not tell of its network. */
function withoutCost<T>(content: T): T {
  const text = JSON.stringify(content)
    .replace(/(\\n|\n) *\\"cost\\": \{.*?(\\n|\n) {2}\}/, "")
    .replace(/"expr":"vector\([\d.]+\)"(?=,"labels":\{"pool":"__shared__"\})/, '"expr":""');
  return JSON.parse(text) as T;
}

function withoutCostLines(text: string): string {
  return text.replace(/^( *)"cost": \{.*?^\1\}/ms, "");
}

function withoutCostRule(text: string): string {
  return text.replace(/- expr: vector\([\d.]+\)(?=\n +labels:\n +pool: __shared__\n)/, "");
}
