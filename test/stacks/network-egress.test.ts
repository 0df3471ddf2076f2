import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { runEnvironment } from "../../offline/environment";
import { parseEnvironmentFile } from "../../stacks/config";
import { Deployment } from "../harness/deploy";
import { holds, type PolicyPeer, parsePolicy, rulesOf } from "../harness/network-policies";
import { environments, programRun } from "./run";

interface EgressRule {
  /** `namespace/policy`, and the ports at the other end. */
  readonly id: string;
  readonly peers: readonly PolicyPeer[];
}

function egressRules(deployment: Deployment): EgressRule[] {
  return deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").flatMap(({ inputs }) => {
    const { metadata, spec } = parsePolicy(inputs);
    return rulesOf(spec, "Egress").map(({ peers, ports = [] }) => ({
      id: `${metadata.namespace}/${metadata.name} to ${ports.map(({ port }) => port).join(", ")}`,
      peers,
    }));
  });
}

/** Rules that let their pods connect to an address. */
function reaching(rules: readonly EgressRule[], address: string): string[] {
  return rules
    .filter(({ peers }) =>
      peers.some(({ ipBlock }) => ipBlock && holds([ipBlock.cidr], address) && !holds(ipBlock.except, address)),
    )
    .map(({ id }) => id);
}

/** The services that give away the credentials of a node or pod: OCI and AWS, EKS Pod Identity, ECS, AWS over IPv6. */
const METADATA = ["169.254.169.254", "169.254.170.23", "169.254.170.2", "fd00:ec2::254", "fd00:ec2::23"];
/** What alone may reach one of them: controllers with rights of their own in AWS. */
const POD_IDENTITY = [
  "karpenter/allow-karpenter to 80 at 169.254.170.23",
  "aws-load-balancers/allow-aws-load-balancer-controller to 80 at 169.254.170.23",
];

function metadataRules(rules: readonly EgressRule[]): string[] {
  return METADATA.flatMap((address) => reaching(rules, address).map((id) => `${id} at ${address}`));
}

/** RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE = ["10.0.0.1", "172.31.255.255", "192.168.178.1", "100.64.0.1", "100.127.255.254", "fd12::1"];

/** What may go to private addresses: what is known by a name or not at all, Prometheus to the nodes, and what uses Amazon's APIs. */
const NOT_THE_INTERNET = [
  / to 443, 6443$/,
  /^cert-manager\/allow-cert-manager-controller to 80$/,
  /^observability\/allow-prometheus to 10250, 9100$/,
  // Receivers of alerts in a private network that the environment names.
  /^observability\/allow-alertmanager to 587$/,
  /^(karpenter|aws-load-balancers)\/allow-(karpenter|aws-load-balancer-controller) to 443$/,
];

describe.each(environments)("connections out of %s", (environment) => {
  it("never reach a metadata service", async () => {
    const rules = egressRules((await programRun(environment)).deployment);
    expect(rules.length).toBeGreaterThan(20);
    expect(metadataRules(rules)).toEqual(environment === "aws-prod" ? POD_IDENTITY : []);
  });

  it("reach the internet without private networks", async () => {
    const rules = egressRules((await programRun(environment)).deployment);
    expect(reaching(rules, "203.0.113.1").length).toBeGreaterThanOrEqual(3);
    const found = PRIVATE.flatMap((address) => reaching(rules, address));
    expect(found.filter((id) => !NOT_THE_INTERNET.some((known) => known.test(id)))).toEqual([]);
  });

  it("name their other end: a rule without peers is a rule for all", async () => {
    const rules = egressRules((await programRun(environment)).deployment);
    expect(rules.filter(({ peers }) => peers.length === 0).map(({ id }) => id)).toEqual([]);
  });
});

describe("networks of the cluster", () => {
  /** aws-prod with other settings of its cluster. */
  async function rulesWith(settings: string): Promise<EgressRule[]> {
    const root = repositoryRoot();
    const text = readFileSync(join(root, "Pulumi.aws-prod.yaml"), "utf8");
    const file = parseEnvironmentFile(text.replace("    kind: aws\n", `    kind: aws\n    ${settings}\n`));
    if (!file.ok) {
      throw new Error(JSON.stringify(file.problems));
    }
    const run = await runEnvironment({ name: "aws-prod", file, baseDirectory: root });
    return egressRules(new Deployment(run.recording));
  }

  it("are kept apart by family, and add to the private ones", async () => {
    const rules = await rulesWith('privateCidrs: ["198.18.0.0/15", "2001:db8:1::/48", "10.0.0.0/8"]');
    const registry = "model-embeddings/allow-ollama-model-embeddings to 443";
    expect(rules.find(({ id }) => id === registry)?.peers).toEqual([
      {
        ipBlock: {
          cidr: "0.0.0.0/0",
          except: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "169.254.0.0/16"],
        },
      },
      { ipBlock: { cidr: "::/0", except: ["fc00::/7", "fe80::/10", "2001:db8:1::/48"] } },
    ]);
    expect([...PRIVATE, "198.18.0.1", "2001:db8:1::1"].flatMap((a) => reaching(rules, a))).not.toContain(registry);
    expect(metadataRules(rules)).toEqual(POD_IDENTITY);
  });

  it("may name the API server's: then nothing else is reached on its ports", async () => {
    const rules = await rulesWith('apiServerCidrs: ["10.0.32.0/20", "172.20.0.1/32"]');
    const api = rules.filter(({ id }) => id.endsWith(" to 443, 6443"));
    expect(api.length).toBeGreaterThan(6);
    for (const { peers } of api) {
      expect(peers).toEqual([
        { ipBlock: { cidr: "10.0.32.0/20", except: [] } },
        { ipBlock: { cidr: "172.20.0.1/32", except: [] } },
      ]);
    }
    expect(reaching(rules, "203.0.113.1").filter((id) => id.includes("6443"))).toEqual([]);
  });
});
