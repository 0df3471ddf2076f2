import { availabilityDomainsOf, ociRegionsAsOf } from "../../../catalog/oci-regions";
import { hasOkeImage } from "../../../catalog/oke";
import { isOciBareMetal } from "../../../catalog/shapes";
import { roleOf } from "../core/machines";
import type { ProblemDraft } from "../core/problems";
import { knownMachine, type Rule } from "../core/rule";
import { madePoolsOf } from "./made-pools";

/** GPU machines are in some availability domains only, and moving a pool recreates it. */
export const gpuPoolsSayWhere: Rule = function* (context) {
  for (const [name, pool] of madePoolsOf("oci", context)) {
    if (knownMachine(pool)?.gpu && pool.availabilityDomains === undefined) {
      yield {
        path: ["pools", name, "availabilityDomains"],
        value: undefined,
        allowed: "where the region has these machines: GPU shapes are not in every availability domain",
        fix: "add availabilityDomains: [1], with the number of the domain that you have quota in",
      };
    }
  }
};

/** Checked before asking the region, which needs credentials. */
export const domainsAreOfTheRegion: Rule = function* (context) {
  const { cluster } = context.sections;
  const region = cluster?.kind === "oci" ? cluster.oke?.region : undefined;
  const count = region === undefined ? undefined : availabilityDomainsOf(region);
  if (count === undefined) {
    return;
  }
  for (const [name, { availabilityDomains = [] }] of madePoolsOf("oci", context)) {
    const missing = availabilityDomains.filter((domain) => domain > count);
    if (missing.length > 0) {
      const present = availabilityDomains.filter((domain) => domain <= count);
      yield {
        path: ["pools", name, "availabilityDomains"],
        value: availabilityDomains,
        allowed: `1${count > 1 ? ` to ${count}` : ""}: ${region} has ${count === 1 ? "one availability domain" : `${count} availability domains`} (Oracle's list of regions, ${ociRegionsAsOf})`,
        fix: `write availabilityDomains: [${(present.length > 0 ? present : [1]).join(", ")}], or use a region with more domains`,
      };
    }
  }
};

/** RDMA networks are in one place, and their machines need drivers that OKE images lack. */
export const rdmaPoolsAreWhole: Rule = function* (context) {
  for (const [name, { rdma, image, availabilityDomains }] of madePoolsOf("oci", context)) {
    if (rdma?.mode === undefined) {
      continue;
    }
    if (image === undefined) {
      yield {
        path: ["pools", name, "image"],
        value: undefined,
        allowed: "one of Oracle's Ubuntu images for HPC, with rdma.mode: OKE's own images have no RDMA drivers",
        fix: "import one into your compartment (docs/environments/oci-h100.md), and add image: ocid1.image.oc1…",
      };
    }
    if (availabilityDomains !== undefined && availabilityDomains.length > 1) {
      yield oneDomain(name, availabilityDomains, "with rdma.mode: a compute cluster or cluster network lies in one");
    }
  }
};

/** All GPU images of OKE have NVIDIA's driver. */
export const amdPoolsNameAnImage: Rule = function* (context) {
  for (const [name, pool] of madePoolsOf("oci", context)) {
    const machine = knownMachine(pool);
    if (machine && !hasOkeImage(machine) && pool.image === undefined && pool.rdma?.mode === undefined) {
      yield {
        path: ["pools", name, "image"],
        value: undefined,
        allowed: `an image with AMD's driver for ${machine.name}: OKE's own GPU images have NVIDIA's`,
        fix: "import one of Oracle's Ubuntu images with ROCm, and add image: ocid1.image.oc1…",
      };
    }
  }
};

/** Spot needs virtual machines and tolerating pods; reservations have one place. */
export const capacityFitsThePool: Rule = function* (context) {
  for (const [name, pool] of madePoolsOf("oci", context)) {
    const { capacity, availabilityDomains = [] } = pool;
    const machine = knownMachine(pool);
    const path = ["pools", name, "capacity"];
    if (capacity === "spot" && machine && isOciBareMetal(machine)) {
      yield {
        path,
        value: capacity,
        allowed: `on-demand or a reservation: Oracle has no preemptible bare metal, and ${machine.name} is that`,
        fix: "remove capacity, or take a shape of virtual machines (VM.…)",
      };
    }
    if (capacity === "spot" && machine && roleOf(pool, machine) === "system") {
      yield {
        path,
        value: capacity,
        allowed:
          "on-demand or a reservation: OKE taints nodes that it may take back, and gateway, model store and monitoring tolerate no taint",
        fix: "remove capacity here; take spot for a pool of models",
      };
    }
    if (typeof capacity === "object" && availabilityDomains.length > 1) {
      yield oneDomain(name, availabilityDomains, "with a reservation: its machines are in one");
    }
  }
};

function oneDomain(pool: string, value: readonly number[], why: string): ProblemDraft {
  return {
    path: ["pools", pool, "availabilityDomains"],
    value,
    allowed: `one availability domain ${why}`,
    fix: `write availabilityDomains: [${value[0] ?? 1}], or make a pool for each`,
  };
}
