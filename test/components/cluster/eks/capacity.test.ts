import { Provider } from "@pulumi/aws/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EksCapacityAnswer, eksCapacityFindings, quotasOf } from "../../../../components/cluster/eks/capacity";
import { askAwsCapacity } from "../../../../components/cluster/eks/capacity-check";
import { defaultAnswers } from "../../../../offline/answers";
import { deploy } from "../../../harness/deploy";
import { eksPool } from "../../../harness/eks-pools";

const CODES = { p: "L-417A185B", g: "L-DB2E81BA", spotG: "L-3819A6DF" };

function answer(quotas: Readonly<Record<string, number>>, zones = ["us-east-1a"]): EksCapacityAnswer {
  return { zones: { "p5.48xlarge": zones, "g6e.xlarge": zones, "m7i.xlarge": zones }, quotas };
}

const messages = (...args: Parameters<typeof eksCapacityFindings>) =>
  eksCapacityFindings(...args).problems.map(({ subject, message }) => `${subject}: ${message}`);

describe("eksCapacityFindings", () => {
  it("refuses what exceeds a whole quota, with number, name and remedy: two pools share one", () => {
    const pools = [
      eksPool("p5.48xlarge", { name: "one", minNodes: 1 }),
      eksPool("p5.48xlarge", { name: "two", minNodes: 2 }),
    ];
    expect(eksCapacityFindings(pools, answer({ [CODES.p]: 384 })).problems).toEqual([
      {
        severity: "mandatory",
        rule: "cloud-capacity",
        subject: "pools.one",
        message:
          '576 CPUs are needed at once (nodes of one, two), and the quota "Running On-Demand P instances" (L-417A185B) is 384. Ask for a higher one (Console: Service Quotas, Amazon EC2), or write fewer minNodes',
      },
    ]);
    expect(eksCapacityFindings(pools, answer({ [CODES.p]: 576 }))).toEqual({ problems: [], notes: [] });
  });

  it("counts nodes against the quota of their own machines alone", () => {
    const pools = [
      eksPool("p5.48xlarge", { name: "h", minNodes: 1 }),
      eksPool("g6e.xlarge", { name: "l", minNodes: 2 }),
      eksPool("g6e.xlarge", { name: "s", minNodes: 3 }, { capacity: "spot" }),
    ];
    const exact = { [CODES.p]: 192, [CODES.g]: 8, [CODES.spotG]: 12 };
    expect(eksCapacityFindings(pools, answer(exact))).toEqual({ problems: [], notes: [] });
    const { problems, notes } = eksCapacityFindings(pools, answer({ [CODES.p]: 191, [CODES.g]: 7, [CODES.spotG]: 11 }));
    expect(problems.map(({ subject, message }) => [subject, message.slice(0, message.indexOf(", and"))])).toEqual([
      ["pools.h", "192 CPUs are needed at once (nodes of h)"],
      ["pools.l", "8 CPUs are needed at once (nodes of l)"],
    ]);
    expect(notes).toEqual([expect.stringContaining("12 CPUs are needed at once (nodes of s)")]);
  });

  it("says what will lack once pools grow, and refuses nothing for it", () => {
    const pool = eksPool("g6e.xlarge", { name: "a", minNodes: 1, maxNodes: 4 });
    const { problems, notes } = eksCapacityFindings([pool], answer({ [CODES.g]: 8 }));
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      'room for minNodes, but not for maxNodes: 16 CPUs are needed at once (nodes of a), and the quota "Running On-Demand G and VT instances" (L-DB2E81BA) is 8',
    ]);
  });

  it("refuses no spot machines, in whose place others come", () => {
    const pool = eksPool("g6e.xlarge", { minNodes: 2 }, { capacity: "spot" });
    const { problems, notes } = eksCapacityFindings([pool], answer({ [CODES.spotG]: 4, [CODES.g]: 0 }));
    expect(problems).toEqual([]);
    expect(notes).toEqual([expect.stringContaining("no room for minNodes as spot machines: 8 CPUs")]);
  });

  it("counts no reserved machines", () => {
    const reserved = eksPool("p5.48xlarge", {}, { capacity: { capacityBlock: "cr-0123456789abcdef0" } });
    expect(quotasOf([reserved])).toEqual([]);
    expect(eksCapacityFindings([reserved], answer({ [CODES.p]: 0 }))).toEqual({ problems: [], notes: [] });
  });

  it("says what nobody could tell", () => {
    const pool = eksPool("p5.48xlarge", { name: "h" });
    expect(eksCapacityFindings([pool], { zones: {}, quotas: {} })).toEqual({
      problems: [],
      notes: [
        "pools.h: AWS did not report which zones have p5.48xlarge",
        'AWS did not report the quota "Running On-Demand P instances" (L-417A185B); whether the nodes of h can be had shows when they are made',
      ],
    });
  });

  it("refuses zones that have no such machine, and names those that do", () => {
    const pool = eksPool("m7i.xlarge", { name: "m" }, { zones: ["us-east-1a", "us-east-1b"] });
    const quotas = { "L-1216C47A": 64 };
    expect(messages([pool], answer(quotas, ["us-east-1c"]))).toEqual([
      "pools.m.zones: m7i.xlarge is not offered to this account in us-east-1a, us-east-1b; these do: us-east-1c. Write pools.m.zones, with them in cluster.eks.zones, or take another shape",
    ]);
    expect(messages([pool], answer(quotas, []))[0]).toContain("no zone of the region has it");
    const partly = answer(quotas, ["us-east-1a"]);
    expect(eksCapacityFindings([pool], partly)).toEqual({
      problems: [],
      notes: ["pools.m: m7i.xlarge is not offered in us-east-1b; write pools.m.zones without it"],
    });
    expect(eksCapacityFindings([{ ...pool, groupNodes: 0, karpenterNodes: 1 }], partly).notes).toEqual([]);
  });

  it("refuses exactly where the nodes that always run need more than the quota", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 4 }), fc.nat({ max: 80 }), (nodes, quota) => {
        const pools = nodes.map((minNodes, i) => eksPool("g6e.xlarge", { name: `p${i}`, minNodes }));
        const needed = 4 * nodes.reduce((sum, each) => sum + each, 0);
        expect(eksCapacityFindings(pools, answer({ [CODES.g]: quota })).problems.length).toBe(needed > quota ? 1 : 0);
      }),
    );
  });
});

describe("askAwsCapacity", () => {
  const QUOTA = "aws:servicequotas/getServiceQuota:getServiceQuota";

  async function ask(refuseQuotas: boolean) {
    const asked: [string, unknown][] = [];
    const found: EksCapacityAnswer[] = [];
    const deployment = await deploy(
      async () => {
        const pools = [eksPool("p5.48xlarge", { name: "a" }), eksPool("p5.48xlarge", { name: "b" })];
        found.push(await askAwsCapacity(new Provider("aws", { region: "us-east-1" }))(pools));
      },
      {
        answers: {
          ...defaultAnswers,
          call: (token, given) => {
            asked.push([token, given]);
            if (token === QUOTA && refuseQuotas) {
              throw new Error("AccessDeniedException");
            }
            return defaultAnswers.call(token, given);
          },
        },
      },
    );
    return { asked, deployment, found: found[0] };
  }

  it("asks each thing once, and makes nothing", async () => {
    const { asked, deployment, found } = await ask(false);
    const made = deployment.recording.resources.filter(({ custom }) => custom);
    expect(made.map(({ type }) => type)).toEqual(["pulumi:providers:aws"]);
    expect(asked.map(([token]) => token)).toEqual(["aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings", QUOTA]);
    expect(asked[1]?.[1]).toMatchObject({ serviceCode: "ec2", quotaCode: CODES.p });
    expect(found?.zones["p5.48xlarge"]).toContain("us-east-1a");
    expect(found?.quotas).toEqual({ [CODES.p]: 10_000 });
  });

  it("leaves out a quota that it may not read", async () => {
    expect((await ask(true)).found?.quotas).toEqual({});
  });
});
