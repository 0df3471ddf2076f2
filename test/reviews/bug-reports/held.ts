import { readFileSync } from "node:fs";
import { join } from "node:path";
import { podAddresses } from "../../../cli/doctor/checks/pod-addresses";
import { storageClasses } from "../../../cli/doctor/checks/storage-class";
import { joinPart } from "../../../components/cluster/oke/cloud-init/join";
import { secondsToWait } from "../../../components/storage/scripts/retry.ts";
import { repositoryRoot } from "../../../names/repository-root";
import { CheckoutError, requireUnixLines } from "../../../names/shipped-file";
import { facts, known, only } from "../../cli/doctor/made-up";
import { okePool } from "../../harness/oke-pools";
import type { BugReport } from "./report";

/** What neither a plan nor a resource shows: checkouts, doctor, scripts of pods and nodes. */
export const HELD: readonly BugReport[] = [
  {
    reports:
      "Invicton-Labs/terraform-external-shell-data#9, GoogleCloudPlatform/cloud-builders-community#530, databus23/helm-diff#317",
    failure: "scripts of a checkout with CRLF",
    proofs: [
      { asked: () => thrownBy(() => requireUnixLines("a.sh", "exit 0\r\n")) instanceof CheckoutError, is: true },
      {
        asked: () => readFileSync(join(repositoryRoot(), ".gitattributes"), "utf8").match(/^\* .*$/m)?.[0],
        is: "* text=auto eol=lf",
      },
      {
        heldBy: "test/names/shipped-file.test.ts",
        titled: "what is shipped is read by it alone, and Git writes line feeds whatever its settings",
      },
    ],
  },
  {
    reports: "defilantech/LLMKube#972, #973, windmill#7671",
    failure: "servers on 0.0.0.0 answer no probe where pods have IPv6 alone",
    proofs: [
      {
        asked: () => [["10.42.0.3", "fd00:42::3"], ["fd00:42::3"]].map(podsAt),
        is: ["passed", "failed"],
      },
    ],
  },
  {
    reports: "huggingface/huggingface_hub#3312, huggingface/Google-Cloud-Containers#145",
    failure: "429 of the Hub is asked again before its window is over",
    proofs: [
      {
        asked: () =>
          [
            ["retry-after", "17"],
            ["ratelimit", '"resolvers";r=0;t=246'],
            ["retry-after", "99999"],
          ].map(([name = "", value = ""]) => secondsToWait(new Headers([[name, value]]))),
        is: [17, 246, 900],
      },
      {
        heldBy: "test/components/storage/retry.test.ts",
        titled: "is asked again when its window is over, and not before",
      },
    ],
  },
  {
    reports: "kserve/kserve#5611",
    failure: "a download that stands still hangs",
    proofs: [
      // Node's fetch ends a body that stands still after five minutes; then the rest is fetched.
      { heldBy: "test/components/storage/scripts.test.ts", titled: "takes up a broken connection where it stopped" },
      {
        heldBy: "test/e2e/model-store.test.ts",
        titled: "goes on with the file that is missing, until the bucket holds the whole model",
      },
    ],
  },
  {
    reports: "2i2c#4768, terraform-aws-n8n#22",
    failure: "claims wait for ever on EKS without a default storage class",
    proofs: [{ asked: () => [true, false].map(classIsDefault), is: ["passed", "failed"] }],
  },
  {
    reports: "NVIDIA/nvidia-container-toolkit#2037, kubernetes/kubernetes#56374",
    failure: "RDMA cannot pin memory without IPC_LOCK",
    proofs: [
      {
        asked: () =>
          (["cluster-network", "node-pool"] as const).map((madeBy) =>
            joinPart(okePool("BM.GPU.H100.8", {}, { madeBy }), "v1.34.1")
              .commands.flat()
              .includes("unlimited"),
          ),
        is: [true, false],
      },
      { heldBy: "test/e2e/oke/join-oke.test.ts", titled: "lets pods pin memory only where its pool has RDMA" },
    ],
  },
];

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** What doctor says where the DNS pod has these addresses. */
function podsAt(ips: readonly string[]): string {
  return only(podAddresses, facts({ dnsPods: known([{ name: "coredns-1", ready: true, ips }]) })).status;
}

/** What doctor says of a cluster with one class. */
function classIsDefault(isDefault: boolean): string {
  const gp2 = { name: "gp2", provisioner: "ebs.csi.aws.com", parameters: {}, grows: true, isDefault };
  return only(storageClasses, facts({ storageClasses: known([gp2]) })).status;
}
