import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { describe, expect, it } from "vitest";
import { okeKubeconfig } from "../../../../components/cluster/oke/kubeconfig";
import { defaultAnswers } from "../../../../offline/answers";
import { deploy } from "../../../harness/deploy";

const CALL = "oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig";

/** What the cloud is asked, and whether the answer stays a secret. */
async function ask(isPublic: boolean, preview = false) {
  const asked: { token: string; inputs: unknown }[] = [];
  const seen: boolean[] = [];
  await deploy(
    async () => {
      // Its id stands for the cluster's: unknown in a preview.
      const cluster = new random.RandomId("cluster", { byteLength: 4 });
      const kubeconfig = okeKubeconfig(cluster.id, { public: isPublic, allowedCidrs: [] }, {});
      seen.push(await pulumi.isSecret(kubeconfig));
    },
    {
      preview,
      answers: {
        ...defaultAnswers,
        call: (token, inputs) => {
          asked.push({ token, inputs });
          return defaultAnswers.call(token, inputs);
        },
      },
    },
  );
  return { asked, isSecret: seen[0] };
}

describe("the kubeconfig of an OKE cluster", () => {
  it("is asked for the endpoint that the cluster has, and secret", async () => {
    for (const [isPublic, endpoint] of [
      [true, "PUBLIC_ENDPOINT"],
      [false, "PRIVATE_ENDPOINT"],
    ] as const) {
      expect(await ask(isPublic)).toEqual({
        asked: [{ token: CALL, inputs: { clusterId: "cluster-id", endpoint, tokenVersion: "2.0.0" } }],
        isSecret: true,
      });
    }
  });

  it("is not asked for in a preview, before there is a cluster", async () => {
    expect(await ask(false, true)).toEqual({ asked: [], isSecret: true });
  });
});
