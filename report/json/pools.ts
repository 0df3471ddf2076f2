import { z } from "zod";
import { amount, count, named, oneOf, taints, text, usd } from "./fields";

const fabric = z
  .strictObject({
    kind: oneOf(["roce", "efa"], "RDMA over Ethernet, or Amazon's Elastic Fabric Adapter."),
    access: oneOf(["virtual-functions", "efa"], "How pods reach it."),
    gbps: amount("Gbit/s", "All interfaces of a node together."),
    device: z
      .strictObject({
        resource: text("Extended resource that pods ask for."),
        perNode: count("devices", "How many a node has."),
        network: text("NetworkAttachmentDefinition that gives a pod one of them.").optional(),
      })
      .meta({ description: "What its device plugin offers." }),
    environment: named("Variables of NCCL or RCCL."),
  })
  .meta({ description: "RDMA that its nodes offer to pods; absent where nobody says so." });

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
  monthlyUsd: usd("minNodes for a month of hoursPerDay."),
  maxMonthlyUsd: usd("maxNodes for the same hours."),
  hoursPerDay: z.number().meta({ description: "Hours that it runs on an average day.", unit: "hours" }),
  selector: named("Labels that pods of this pool select nodes by."),
  labels: named("What nodes made for this pool get, besides their cloud's labels."),
  taints: taints("What nodes made for this pool get, and its pods tolerate."),
  fabric: fabric.optional(),
  gpusClaimed: count("GPUs", "Claimed by the minimum replicas of the models placed here."),
  gpusTotal: count("GPUs", "On minNodes."),
});
