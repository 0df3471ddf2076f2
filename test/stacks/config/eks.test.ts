import { describe, expect, it } from "vitest";
import { EKS_VERSIONS } from "../../../catalog/eks";
import { told } from "./samples";

const EKS = {
  region: "us-east-1",
  kubernetesVersion: "1.35",
  zones: ["us-east-1a", "us-east-1b"],
  administrators: ["arn:aws:iam::111122223333:role/platform"],
};

const POOLS = { system: { shape: "m7i.2xlarge" }, gpu: { shape: "g6.4xlarge", maxNodes: 4 } };

/** What is told of a cluster to make with these settings. */
const eks = (changes: Readonly<Record<string, unknown>>) =>
  told({ cluster: { kind: "aws", provision: "create", eks: { ...EKS, ...changes } }, pools: POOLS }, "cluster");

describe("an EKS cluster to make", () => {
  it("has a version in standard support that all of what is installed runs on", () => {
    for (const { minor } of EKS_VERSIONS) {
      expect(eks({ kubernetesVersion: minor })).toEqual([]);
    }
    expect(eks({ kubernetesVersion: "1.33" })).toEqual([
      expect.stringMatching(
        /^cluster\.eks\.kubernetesVersion is "1\.33"; .*EKS has 1\.34, 1\.35, 1\.36 in standard support.*Write "1\.36"/,
      ),
    ]);
  });

  it("has none that Karpenter or Envoy Gateway does not run on, and says which it is", () => {
    const [refused] = eks({ kubernetesVersion: "1.37" });
    expect(refused).toContain("Karpenter 1.14 runs on 1.29 to 1.36 alone");
    expect(refused).toContain("Envoy Gateway 1.9 runs on 1.33 to 1.36 alone");
    const [old] = eks({ kubernetesVersion: "1.28" });
    expect(old).toContain("Karpenter 1.14 runs on");
    expect(eks({ kubernetesVersion: "1.35" }).join()).not.toContain("Karpenter");
  });

  it("has a kubeconfig of its own, and takes no context of another one", () => {
    const cluster = { kind: "aws", provision: "create", eks: EKS, kubeContext: "kind-dev" };
    expect(told({ cluster, pools: POOLS }, "cluster")).toEqual([
      expect.stringMatching(/^cluster\.kubeContext is "kind-dev".*Remove kubeContext\b/),
    ]);
  });

  it("spans zones of its region, each once", () => {
    expect(eks({ zones: ["us-east-1a", "us-west-2b"] })).toEqual([
      expect.stringMatching(
        /^cluster\.eks\.zones\[1\] is "us-west-2b".*zones of us-east-1.*us-east-1a, or region: us-west-2/i,
      ),
    ]);
    expect(eks({ zones: ["us-east-1a", "us-east-1b", "us-east-1a"] })).toEqual([
      expect.stringMatching(/^cluster\.eks\.zones\[2\] is "us-east-1a".*each zone once/),
    ]);
    expect(eks({ zones: ["us-east-1a"] })).toEqual([expect.stringContaining("a list of two to six names")]);
    expect(eks({ zones: ["use1-az1", "us-east-1b"] })).toEqual([expect.stringContaining("not its id")]);
  });

  it("lets each administrator in once", () => {
    const [one] = EKS.administrators;
    expect(eks({ administrators: [one, "arn:aws:iam::111122223333:role/other", one] })).toEqual([
      expect.stringMatching(/^cluster\.eks\.administrators\[2\] is .*each role and user once/),
    ]);
  });

  it("tells of an administrator's session, of nobody and of one address what to write", () => {
    const session = (role: string) =>
      eks({ administrators: [`arn:aws:sts::111122223333:assumed-role/${role}/me@example.com`] });
    expect(session("Admin")).toEqual([
      expect.stringMatching(/Write arn:aws:iam::111122223333:role\/Admin, with the role's path/),
    ]);
    expect(session("AWSReservedSSO_Admin_0123456789abcdef")).toEqual([
      expect.stringContaining('"aws iam get-role --role-name AWSReservedSSO_Admin_0123456789abcdef --query Role.Arn"'),
    ]);
    expect(eks({ administrators: [] })).toEqual([expect.stringContaining("at least one ARN")]);
    expect(eks({ endpoint: { public: true, allowedCidrs: ["203.0.113.7"] } })).toEqual([
      expect.stringContaining('"203.0.113.7/32" for one address'),
    ]);
  });

  it("takes a key of its own region", () => {
    const key = (region: string) => eks({ encryptionKeyArn: `arn:aws:kms:${region}:111122223333:key/1234abcd-12ab` });
    expect(key("us-east-1")).toEqual([]);
    expect(key("eu-west-1")).toEqual([
      expect.stringMatching(/^cluster\.eks\.encryptionKeyArn is .*a key of us-east-1.*write region: eu-west-1/),
    ]);
  });

  it("opens its API to somebody known, and to none of private addresses over the internet", () => {
    const endpoint = (isPublic: boolean, allowedCidrs: readonly string[]) =>
      eks({ endpoint: { public: isPublic, allowedCidrs } });
    expect(endpoint(true, ["203.0.113.0/24"])).toEqual([]);
    expect(endpoint(true, ["203.0.113.0/24", "10.8.0.0/24"])).toEqual([]);
    expect(endpoint(false, [])).toEqual([]);
    expect(endpoint(false, ["10.8.0.0/24"])).toEqual([]);
    expect(endpoint(true, [])).toEqual([
      expect.stringMatching(/^cluster\.eks\.endpoint\.allowedCidrs is .*at least one network of operators/),
    ]);
    expect(endpoint(true, ["10.8.0.0/24"])).toEqual([
      expect.stringMatching(
        /^cluster\.eks\.endpoint\.allowedCidrs is .*at least one network of the internet's.*write public: false/i,
      ),
    ]);
    expect(endpoint(true, ["0.0.0.0/0"])).toEqual([
      expect.stringMatching(
        /^cluster\.eks\.endpoint\.allowedCidrs\[0\] is "0\.0\.0\.0\/0".*\/8 or more: not the internet/,
      ),
    ]);
    expect(endpoint(true, ["203.0.113.7/24"])).toEqual([
      expect.stringMatching(/allowedCidrs\[0\].*203\.0\.113\.0\/24/),
    ]);
  });

  it("says nothing of a cluster that is not made here", () => {
    expect(told({ cluster: { kind: "aws" }, pools: POOLS }, "cluster")).toEqual([]);
  });
});
