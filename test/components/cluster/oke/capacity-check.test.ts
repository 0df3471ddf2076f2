import { describe, expect, it } from "vitest";
import type { CloudCapacity } from "../../../../components/cluster/oke/capacity";
import { askOciCapacity } from "../../../../components/cluster/oke/capacity-check";
import { defaultAnswers } from "../../../../offline/answers";
import { deploy } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";

const SETTINGS = {
  environment: "test",
  tenancyId: "ocid1.tenancy.oc1..t",
  compartmentId: "ocid1.compartment.oc1..c",
  region: "eu-frankfurt-1",
};
const AVAILABILITY = "oci:Limits/getResourceAvailability:getResourceAvailability";

type Answer = (inputs: Record<string, unknown>) => Record<string, unknown>;

/** What the check finds out, and what it asked. */
async function ask(
  answers: Readonly<Record<string, Answer>> = {},
  { preview = false, pools = [okePool("VM.GPU.A10.1", {}, { availabilityDomains: [1, 2] })] } = {},
) {
  const asked: { token: string; inputs: Record<string, unknown> }[] = [];
  const found: CloudCapacity[] = [];
  const deployment = await deploy(
    async () => {
      found.push(await askOciCapacity(SETTINGS, pools));
    },
    {
      preview,
      answers: {
        ...defaultAnswers,
        call: (token, given) => {
          const inputs = given as Record<string, unknown>;
          asked.push({ token, inputs });
          return answers[token]?.(inputs) ?? defaultAnswers.call(token, given);
        },
      },
    },
  );
  return { asked, deployment, found: found[0] as CloudCapacity };
}

describe("askOciCapacity", () => {
  it.each([false, true])("asks the region of the cluster, and makes nothing (preview: %s)", async (preview) => {
    const { asked, deployment } = await ask({}, { preview });
    const made = deployment.recording.resources.filter(({ custom }) => custom);
    expect(made.map(({ type, inputs }) => [type, inputs])).toEqual([
      ["pulumi:providers:oci", { region: "eu-frankfurt-1" }],
    ]);
    expect(asked.filter(({ token }) => token === AVAILABILITY).map(({ inputs }) => inputs)).toEqual(
      [1, 2].map((number) => ({
        compartmentId: "ocid1.compartment.oc1..c",
        serviceName: "compute",
        limitName: "gpu-a10-count",
        availabilityDomain: `oFFl:OFFLINE-AD-${number}`,
      })),
    );
  });

  it("knows limits by the cloud's own names for a shape, and rests as numbers", async () => {
    const { found } = await ask({ [AVAILABILITY]: (inputs) => ({ ...inputs, available: "3" }) });
    expect(found.domains[1]).toMatchObject({
      name: "oFFl:OFFLINE-AD-1",
      available: { "gpu-a10-count": 3 },
    });
    expect(found.domains[1]?.shapes["VM.Standard.A1.Flex"]).toEqual([
      "standard-a1-core-count",
      "standard-a1-memory-count",
    ]);
    // No pool is there.
    expect(found.domains[3]?.available).toEqual({});
  });

  it("leaves out a limit that nobody answers for", async () => {
    const { found } = await ask({
      [AVAILABILITY]: () => {
        throw new Error("404-NotAuthorizedOrNotFound");
      },
    });
    expect(found.domains[1]?.available).toEqual({});
  });

  it("finds the nodes that run already by their pool, and not those of other environments", async () => {
    const { found } = await ask({
      "oci:ContainerEngine/getNodePools:getNodePools": (inputs) => ({
        ...inputs,
        nodePools: ["test", "other"].map((environment, i) => ({
          name: "pool",
          nodeShape: "VM.GPU.A10.1",
          nodeConfigDetails: [{ size: 2 + i }],
          freeformTags: { "inference-stacks-environment": environment },
        })),
      }),
    });
    expect(found.running).toEqual({ pool: { shape: "VM.GPU.A10.1", nodes: 2 } });
  });

  it("finds machines that joined by themselves, by our tags, and asks for none where no pool has such", async () => {
    const group = (displayName: string, changes: object = {}) => ({
      displayName,
      state: "RUNNING",
      freeformTags: { "inference-stacks-environment": "test", "inference-stacks-shape": "BM.GPU.H100.8" },
      ...changes,
    });
    const answers: Readonly<Record<string, Answer>> = {
      "oci:Core/getClusterNetworks:getClusterNetworks": (inputs) => ({
        ...inputs,
        clusterNetworks: [
          group("h100", { instancePools: [{ size: 4 }] }),
          group("gone", { instancePools: [{ size: 4 }], state: "TERMINATED" }),
        ],
      }),
      "oci:Core/getInstancePools:getInstancePools": (inputs) => ({
        ...inputs,
        // A cluster network's own pool is listed too, without tags of ours.
        instancePools: [group("secret", { size: 2 }), group("h100", { size: 4, freeformTags: {} })],
      }),
    };
    const pools = [
      okePool("BM.GPU.H100.8", { name: "h100" }, { madeBy: "cluster-network" }),
      okePool("VM.Standard.E5.Flex", { name: "secret" }, { madeBy: "instance-pool" }),
    ];
    const { found } = await ask(answers, { pools });
    expect(found.running).toEqual({
      h100: { shape: "BM.GPU.H100.8", nodes: 4 },
      secret: { shape: "BM.GPU.H100.8", nodes: 2 },
    });
    const { asked } = await ask(answers);
    expect(asked.map(({ token }) => token).filter((token) => /ClusterNetworks|InstancePools/.test(token))).toEqual([]);
  });
});
