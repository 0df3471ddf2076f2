/** The stack of an EKS cluster alone: nothing of it asks the Kubernetes API, and nothing it makes lets strangers in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { judge } from "../../report/judge";
import { changedRun, type ProgramRun } from "./run";

const PROVIDER = "pulumi:providers:";

/** aws-prod with something else in its section on EKS. */
function eksRun(changes: object, endpoint: object = { public: true, allowedCidrs: ["203.0.113.0/24"] }) {
  const { config } = parse(readFileSync(join(repositoryRoot(), "Pulumi.aws-prod.yaml"), "utf8"));
  const cluster = config["inference-stacks:cluster"];
  return changedRun("aws-prod", {
    scope: "cluster",
    cluster: { ...cluster, eks: { ...cluster.eks, endpoint, ...changes } },
  });
}

let run: ProgramRun;
beforeAll(async () => {
  run = await eksRun({});
}, 60_000);

describe("scope: cluster on EKS", () => {
  it("makes resources of AWS alone", () => {
    const custom = run.resources.filter(({ custom: made, type }) => made && !type.startsWith(PROVIDER));
    expect(custom.length).toBeGreaterThan(50);
    expect(custom.filter(({ type }) => !type.startsWith("aws:"))).toEqual([]);
  });

  it("makes each of them by the provider of its region, which refuses other accounts and tags what it makes", () => {
    const provider = run.deployment.resource("pulumi:providers:aws", "cluster-aws");
    expect(provider.inputs).toMatchObject({
      region: "us-east-1",
      allowedAccountIds: JSON.stringify(["111122223333"]),
      defaultTags: JSON.stringify({ tags: { "inference-stacks-environment": "aws-prod" } }),
    });
    const others = run.resources.filter(
      ({ type, custom, provider: by }) => custom && type.startsWith("aws:") && !by?.startsWith(provider.urn),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  it("tells others of the cluster", () => {
    const { cluster, kubeconfig, ...others } = run.recording.outputs;
    expect(others).toEqual({});
    expect(kubeconfig).toBeDefined();
    expect(cluster).toMatchObject({
      kind: "aws",
      clusterIdentifier: "arn:aws:eks:us-east-1:111122223333:cluster/aws-prod",
      aws: { clusterName: "aws-prod", region: "us-east-1", vpcId: "cluster-network-vpc-id" },
      // The control plane's interfaces, not the nodes' subnets: what talks to the API may talk to no node.
      apiServerCidrs: ["10.0.0.0/22", "10.0.4.0/22", "10.0.8.0/22", "172.20.0.0/16"],
    });
  });

  it("has one group with the cluster's tag for each node, which is EKS's own: none of ours has it", () => {
    const tagged = run.resources.filter(({ inputs: { tags } }) =>
      Object.keys(tags ?? {}).some((tag) => tag.startsWith("kubernetes.io/cluster/")),
    );
    expect(tagged.map(({ name }) => name)).toEqual([]);
    const discovered = run.deployment.ofType("aws:ec2/tag:Tag").map(({ inputs }) => inputs);
    expect(discovered).toEqual([
      { resourceId: "offline-cluster-group", key: "karpenter.sh/discovery", value: "aws-prod" },
    ]);
  });

  it("buys no capacity block", () => {
    expect(run.resources.filter(({ type }) => /capacityBlockReservation/i.test(type))).toEqual([]);
  });

  it("lets no group in from everywhere", () => {
    const rules = run.deployment.ofType("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule");
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter(({ inputs }) => inputs.cidrIpv4 === "0.0.0.0/0")).toEqual([]);
  });
});

describe("an account and a region of one's own", () => {
  const ACCOUNT = "222233334444";
  const AMAZONS = /:aws:$/;
  const arnsOf = ({ recording }: ProgramRun) =>
    [...JSON.stringify(recording).matchAll(/arn:[\w-]+:[\w-]+:[\w-]*:\w*:/g)].map(([arn]) => arn);

  it.each([
    ["said", "eu-central-1", "aws", { accountId: ACCOUNT }],
    ["told by administrators", "us-gov-west-1", "aws-us-gov", { accountId: undefined }],
  ])("are those of everything that an offline run makes: %s", async (_, region, partition, account) => {
    const own = await eksRun({
      ...account,
      region,
      zones: ["a", "b", "c"].map((letter) => `${region}${letter}`),
      administrators: [`arn:${partition}:iam::${ACCOUNT}:role/admins/ops`],
    });
    const { violations } = judge(own);
    expect(violations.filter(({ severity }) => severity !== "advisory")).toEqual([]);
    const arns = arnsOf(own).filter((arn) => !AMAZONS.test(arn));
    expect(arns.length).toBeGreaterThan(50);
    for (const arn of arns) {
      const [, of, , where, whose] = arn.split(":");
      expect([of, region, ACCOUNT], arn).toEqual([partition, where || region, whose || ACCOUNT]);
    }
  });
});
