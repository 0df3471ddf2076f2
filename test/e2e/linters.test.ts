import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { kindsOf } from "../../rehearsal/cluster/recorded-objects";
import { fileToRender } from "../render/run";
import { environments } from "../stacks/run";
import { checkov } from "./linters/checkov";
import { EXCEPTIONS } from "./linters/exceptions";
import { type Finding, LINTERS, type Linter, report } from "./linters/finding";
import { judge } from "./linters/judge";
import { kubeScore } from "./linters/kube-score";
import { kubeconform } from "./linters/kubeconform";
import { folderOf, type LintedFolder, renderedFolder } from "./linters/linted-folder";
import { writeSchemas } from "./linters/schemas";

/** A minute and a half on two cores of their own; several where others build on them. */
const TIMEOUT_MS = 400_000;

// The real path: linters name files by it.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "linters-")));
const schemas = join(folder, "schemas");
afterAll(() => rmSync(folder, { recursive: true }));

const run: Readonly<Record<Linter, (linted: LintedFolder) => Promise<Finding[]>>> = {
  kubeconform: (linted) => kubeconform(linted, schemas),
  "kube-score": kubeScore,
  checkov,
};

/** `aws-prod` with its pods in a mesh, as a file for `--config`. */
function inMesh(mode: "ambient" | "sidecar"): string {
  const file = join(folder, `in-mesh-${mode}.yaml`);
  const { config, ...rest } = parse(readFileSync(join(repositoryRoot(), "Pulumi.aws-prod.yaml"), "utf8"));
  writeFileSync(file, stringify({ ...rest, config: { ...config, "inference-stacks:mesh": { mode } } }));
  return file;
}

const rendered: LintedFolder[] = [];
beforeAll(async () => {
  // One after the other: the first one may build the bundle that all run from.
  for (const environment of environments) {
    rendered.push(await renderedFolder(environment, join(folder, environment), fileToRender(environment)));
  }
  for (const mode of ["ambient", "sidecar"] as const) {
    rendered.push(await renderedFolder("aws-prod", join(folder, `aws-prod-${mode}`), inMesh(mode)));
  }
  const kinds = kindsOf(rendered.flatMap(({ files }) => files.map(({ object }) => object)));
  const controlPlane = await ControlPlane.start();
  try {
    await writeSchemas(controlPlane.client, kinds, schemas);
  } finally {
    await controlPlane.stop();
  }
}, TIMEOUT_MS);

describe("the rendered YAML of every environment", () => {
  let findings: Finding[] = [];
  beforeAll(async () => {
    findings = (await Promise.all(rendered.flatMap((linted) => LINTERS.map((linter) => run[linter](linted))))).flat();
  }, TIMEOUT_MS);

  it("is all there", () => {
    for (const { environment, files } of rendered) {
      expect(files.length, environment).toBeGreaterThan(100);
    }
    const generated = rendered.flatMap(({ files }) => files.filter(({ object }) => object.kind === "Pod"));
    expect(generated.map(({ object }) => object.metadata.name)).toContain("model-llama-405b-leadertemplate");
  });

  it.each(LINTERS)("passes %s, but for the exceptions that have a reason", (linter) => {
    const standing = judge(findings, EXCEPTIONS).standing.filter((finding) => finding.linter === linter);
    expect(standing.length, report(standing)).toBe(0);
  });

  it("needs every exception, and would notice one that is not needed", () => {
    expect(judge(findings, EXCEPTIONS).stale).toEqual([]);
    const other = { linter: "checkov", check: "CKV_K8S_43", objects: /^ReplicaSet /, reason: "there is none" } as const;
    expect(judge(findings, [...EXCEPTIONS, other]).stale).toEqual([other]);
  });
});

describe("the linters of these tests", () => {
  const metadata = { name: "root", namespace: "shop", labels: { app: "root" } };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replica: 2,
      selector: { matchLabels: metadata.labels },
      template: {
        metadata: { labels: metadata.labels },
        spec: { containers: [{ name: "root", image: "example.com/root:1", securityContext: { privileged: true } }] },
      },
    },
  };
  const backend = {
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "Backend",
    metadata: { name: "root", namespace: "shop" },
    spec: { endpoints: [{ fqdn: { hostname: "a.b.svc", port: "8000", prot: "TCP" } }] },
  };
  const unknown = { apiVersion: "example.com/v1", kind: "Unknown", metadata: { name: "u" } };

  it.each([
    { linter: "kube-score", check: "container-security-context-privileged", object: "Deployment shop/root" },
    { linter: "checkov", check: "CKV_K8S_16", object: "Deployment shop/root" },
    { linter: "kubeconform", check: "schema", object: "Deployment shop/root", says: "replica" },
    { linter: "kubeconform", check: "schema", object: "Backend shop/root", says: "prot" },
    { linter: "kubeconform", check: "statusError", object: "Unknown u", says: "could not find schema for Unknown" },
  ] as const)("$linter: $check for $object", async ({ linter, check, object, ...expected }) => {
    const sample = folderOf(join(folder, "sample"), [deployment, backend, unknown]);
    const found = (await run[linter](sample)).filter((finding) => finding.check === check && finding.object === object);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain("says" in expected ? expected.says : "");
    expect(judge(found, EXCEPTIONS).standing).toEqual(found);
    expect(report(found)).toContain(`${linter} ${check} (1)\n  ${object} in `);
  });
});
