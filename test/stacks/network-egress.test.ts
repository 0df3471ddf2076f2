import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { repositoryRoot } from "../../catalog/root";
import { runEnvironment } from "../../cli/plan-offline";
import { parseEnvironmentFile } from "../../stacks/config";
import { Deployment } from "../harness/deploy";
import { metadataOf } from "./kubernetes";
import { environments, programRun } from "./run";

const ipBlock = z.object({ cidr: z.string(), except: z.array(z.string()).default([]) });
const peer = z.object({ ipBlock: ipBlock.optional() });
const policySpec = z.object({
  podSelector: z.object({ matchLabels: z.record(z.string(), z.string()).default({}) }),
  policyTypes: z.array(z.string()),
  egress: z.array(z.object({ to: z.array(peer).default([]), ports: z.array(z.unknown()).default([]) })).default([]),
});

interface EgressPolicy {
  /** `namespace/name` */
  readonly id: string;
  readonly pods: Readonly<Record<string, string>>;
  readonly rules: readonly { readonly peers: readonly z.output<typeof peer>[]; readonly ports: readonly unknown[] }[];
}

function egressPolicies(deployment: Deployment): EgressPolicy[] {
  return deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").map((resource) => {
    const { name, namespace } = metadataOf(resource);
    const { podSelector, egress } = policySpec.parse(resource.inputs.spec);
    return {
      id: `${namespace}/${name}`,
      pods: podSelector.matchLabels,
      rules: egress.map(({ to, ports }) => ({ peers: to, ports })),
    };
  });
}

/** Policies that let their pods connect to an address, whatever the port. */
function reaching(policies: readonly EgressPolicy[], address: string): string[] {
  const family = familyOf(address);
  const holds = (cidrs: readonly string[]) => {
    const list = new BlockList();
    for (const cidr of cidrs) {
      const [network = "", prefix] = cidr.split("/");
      // To a BlockList, every IPv4 address is one of IPv6 too.
      if (familyOf(network) === family) list.addSubnet(network, Number(prefix), family);
    }
    return list.check(address, family);
  };
  return policies
    .filter(({ rules }) =>
      rules.some(({ peers }) =>
        peers.some(({ ipBlock: block }) => block !== undefined && holds([block.cidr]) && !holds(block.except)),
      ),
    )
    .map(({ id }) => id);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** The services that give away the credentials of a node or pod: OCI and AWS, EKS Pod Identity, ECS, AWS over IPv6. */
const METADATA = ["169.254.169.254", "169.254.170.23", "169.254.170.2", "fd00:ec2::254", "fd00:ec2::23"];
/** RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE = ["10.0.0.1", "172.31.255.255", "192.168.178.1", "100.64.0.1", "100.127.255.254", "fd12::1"];

/** What may go to private addresses: what is known by a name or not at all, and Prometheus to the nodes. */
const NOT_THE_INTERNET = /\/allow-(.*kubernetes-api|api-[a-z-]+|challenge-self-check|scrape-nodes)$/;

describe.each(environments)("connections out of %s", (environment) => {
  it("never reach a metadata service", async () => {
    const policies = egressPolicies((await programRun(environment)).deployment);
    expect(policies.length).toBeGreaterThan(20);
    expect(METADATA.flatMap((address) => reaching(policies, address))).toEqual([]);
  });

  it("reach the internet without private networks", async () => {
    const policies = egressPolicies((await programRun(environment)).deployment);
    expect(reaching(policies, "203.0.113.1").length).toBeGreaterThan(3);
    const found = PRIVATE.flatMap((address) => reaching(policies, address));
    expect(found.filter((id) => !NOT_THE_INTERNET.test(id))).toEqual([]);
  });

  it("name their other end: a rule without peers is a rule for all", async () => {
    const policies = egressPolicies((await programRun(environment)).deployment);
    expect(policies.filter(({ rules }) => rules.some(({ peers }) => peers.length === 0)).map(({ id }) => id)).toEqual(
      [],
    );
  });

  it("let cert-manager's controller alone look at its challenges", async () => {
    const policies = egressPolicies((await programRun(environment)).deployment);
    const acme = policies.filter(({ id }) => /cert-manager\/allow-(acme|challenge)/.test(id));
    const controller = { "app.kubernetes.io/name": "cert-manager", "app.kubernetes.io/component": "controller" };
    expect(acme.map(({ pods }) => pods)).toEqual(acme.map(() => controller));
    const { environment: config } = await programRun(environment);
    expect(acme).toHaveLength(config.gateway.tls.kind === "acme" ? 3 : 0);
  });
});

describe("networks of the cluster", () => {
  /** aws-prod with other settings of its cluster. */
  async function policiesWith(settings: string): Promise<EgressPolicy[]> {
    const root = repositoryRoot();
    const text = readFileSync(join(root, "Pulumi.aws-prod.yaml"), "utf8");
    const file = parseEnvironmentFile(text.replace("    kind: aws\n", `    kind: aws\n    ${settings}\n`));
    if (!file.ok) throw new Error(JSON.stringify(file.problems));
    const run = await runEnvironment({ name: "aws-prod", file, baseDirectory: root });
    return egressPolicies(new Deployment(run.recording));
  }

  it("are kept apart by family, and add to the private ones", async () => {
    const policies = await policiesWith('privateCidrs: ["198.18.0.0/15", "2001:db8:1::/48", "10.0.0.0/8"]');
    const registry = policies.find(({ id }) => id === "model-embeddings/allow-registry");
    expect(registry?.rules[0]?.peers).toEqual([
      {
        ipBlock: {
          cidr: "0.0.0.0/0",
          except: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "169.254.0.0/16"],
        },
      },
      { ipBlock: { cidr: "::/0", except: ["fc00::/7", "fe80::/10", "2001:db8:1::/48"] } },
    ]);
    expect([...PRIVATE, "198.18.0.1", "2001:db8:1::1"].flatMap((a) => reaching(policies, a))).not.toContain(
      "model-embeddings/allow-registry",
    );
    expect(METADATA.flatMap((address) => reaching(policies, address))).toEqual([]);
  });

  it("may name the API server's: then nothing else is reached on its ports", async () => {
    const policies = await policiesWith('apiServerCidrs: ["10.0.32.0/20", "172.20.0.1/32"]');
    const api = policies.filter(({ id }) => /allow-(kubernetes-api|api-)/.test(id));
    expect(api.length).toBeGreaterThan(6);
    for (const { rules } of api) {
      expect(rules).toEqual([
        {
          peers: [
            { ipBlock: { cidr: "10.0.32.0/20", except: [] } },
            { ipBlock: { cidr: "172.20.0.1/32", except: [] } },
          ],
          ports: [
            { port: 443, protocol: "TCP" },
            { port: 6443, protocol: "TCP" },
          ],
        },
      ]);
    }
    expect(reaching(policies, "203.0.113.1").filter((id) => /api/.test(id))).toEqual([]);
  });
});
