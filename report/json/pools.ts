import { z } from "zod";
import { FABRIC_ACCESS } from "../../catalog/fabrics";
import { amount, count, flag, named, oneOf, taintOf, taints, text, usd } from "./fields";

const fabric = z
  .strictObject({
    kind: oneOf(["roce", "efa"], "RDMA over Ethernet, or Amazon's Elastic Fabric Adapter."),
    access: oneOf(FABRIC_ACCESS, "How replicas that span nodes reach it."),
    gbps: amount("Gbit/s", "All interfaces of a node together."),
    device: z
      .strictObject({
        resource: text("Extended resource that pods ask for."),
        perNode: count("devices", "How many a node has."),
        network: text("NetworkAttachmentDefinition that gives a pod one of them.").optional(),
      })
      .meta({ description: "What its device plugin offers." }),
    topologyLabel: text("Label of its nodes that names the block of the network that they are in.").optional(),
    environment: named("Variables of NCCL or RCCL."),
  })
  .meta({ description: "RDMA that its nodes offer to pods; absent where it is not stated." });

/** One node pool. */
export const pool = z.strictObject({
  name: text("Key under `pools` of the environment."),
  role: oneOf(["system", "gpu", "cpu"], "system runs the platform itself, gpu and cpu run models."),
  shape: text("Machine of the catalogue, or of your own."),
  cpuArch: oneOf(["amd64", "arm64"], "Processor architecture of its machines."),
  minNodes: count("nodes", "Nodes that always run."),
  maxNodes: count("nodes", "Nodes that the pool may grow to."),
  usdPerNodeHour: usd("One node for an hour."),
  hourlyUsd: usd("minNodes for an hour."),
  scheduledNodeHours: amount(
    "hours",
    "Of nodes beyond minNodes that schedules of its models start in a month: in the one in which they are most.",
  ),
  monthlyUsd: usd("minNodes for a month, and scheduledNodeHours."),
  maxMonthlyUsd: usd("maxNodes for a month."),
  hoursPerDay: z.number().meta({
    description: "Hours a day that it is meant to run. No figure uses this, because the platform does not stop it.",
    unit: "hours",
  }),
  selector: named("Labels that pods of this pool select nodes by."),
  labels: named("What nodes made for this pool get, besides their cloud's labels."),
  taints: taints("What nodes made for this pool get, or those that exist have besides, and its pods tolerate."),
  startupTaints: z
    .array(z.strictObject(taintOf))
    .meta({ description: "What new nodes get besides, until something has looked at them: no model tolerates these." }),
  fabric: fabric.optional(),
  fabricGate: z
    .strictObject({
      minBusGBps: amount("GB/s", "Least bus bandwidth of an all-reduce over two nodes, as nccl-tests says it."),
      image: text("Image of the catalogue that holds the trial."),
    })
    .meta({ description: "What nodes pass before models come; absent where nothing tries them." })
    .optional(),
  sharing: z
    .union([
      z.strictObject({ mig: text("Layout of every card, as NVIDIA's MIG manager names it.") }),
      z.strictObject({
        timeSlicing: z
          .strictObject({ replicas: count("pods", "Pods that share a card.") })
          .meta({ description: "Pods take turns on each card." }),
      }),
    ])
    .meta({ description: "Parts of GPUs that its nodes offer; absent where GPUs are whole." })
    .optional(),
  localDisks: flag("Its nodes keep pods' files on their local disks, encrypted, and empty after a reboot."),
  nodeCacheGiB: amount("GiB", "Cache of weights on each node, where models here take theirs from it.").optional(),
  numa: oneOf(["restricted", "single-numa-node", "best-effort"], "Topology manager of its kubelets.").optional(),
  confidential: flag("Memory of its nodes is encrypted against their host."),
  gpusClaimed: count(
    "GPUs",
    "Claimed by the minimum and the spare replicas of the models placed here; parts of GPUs where `sharing` parts them.",
  ),
  gpusTotal: count("GPUs", "On minNodes, or parts of them."),
});
