/** Machines with confidential memory. */
import {
  AWS_CONFIDENTIAL_REGIONS,
  type ConfidentialCloud,
  confidentialShapes,
  findConfidentialShape,
} from "../../../catalog/confidential";
import type { MachineShape } from "../../../catalog/shapes";
import { knownMachine, type Rule } from "../core/rule";
import { madeEks } from "./eks-cluster";
import { madePoolsOf } from "./made-pools";

const CLOUDS: Readonly<Record<ConfidentialCloud, string>> = { oci: "Oracle", aws: "Amazon" };

/** A feature of certain processors, and clouds that support it. */
export const machinesCanBeConfidential: Rule = function* ({ sections: { cluster, pools = {} } }) {
  if (cluster === undefined || cluster.provision === "existing") {
    return;
  }
  const cloud = cluster.kind === "aws" ? "aws" : "oci";
  const where = confidentialShapes(cloud).join(" or ");
  for (const [name, pool] of Object.entries(pools)) {
    const machine = knownMachine(pool);
    if (!pool.confidential || machine === undefined) {
      continue;
    }
    if (cluster.kind !== machine.provider || findConfidentialShape(machine.name) === undefined) {
      yield {
        path: ["pools", name, "confidential"],
        value: true,
        allowed: `only on ${CLOUDS[cloud]}'s shapes ${where} in a cluster of kind ${cloud}: ${reason(machine, cloud)}`,
        fix: `remove confidential, or take shape ${where}`,
      };
    }
  }
};

function reason({ name, provider, gpu, cpu }: MachineShape, cloud: ConfidentialCloud): string {
  if (provider !== cloud) {
    return `this stack creates no machines of ${name} with encrypted memory`;
  }
  const owner = CLOUDS[cloud];
  if (gpu) {
    return `of ${owner}'s machines with GPUs, as ${name}, none encrypts its memory`;
  }
  return cpu.arch === "arm64"
    ? `${name} has Arm processors, and AMD's alone can do it at ${owner}`
    : `${owner} does not name ${name} among the shapes that can`;
}

/** Few of Amazon's regions have such machines. */
export const confidentialRegionsHaveThem: Rule = function* (context) {
  const region = madeEks(context)?.region;
  for (const [name, { confidential, shape = "" }] of madePoolsOf("aws", context)) {
    const can = confidential && findConfidentialShape(shape) !== undefined;
    if (can && region !== undefined && !AWS_CONFIDENTIAL_REGIONS.includes(region)) {
      yield {
        path: ["pools", name, "confidential"],
        value: true,
        allowed: `only in the regions ${AWS_CONFIDENTIAL_REGIONS.join(" and ")}: Amazon has AMD SEV-SNP in no other`,
        fix: "remove confidential, or write one of them as cluster.eks.region",
      };
    }
  }
};
