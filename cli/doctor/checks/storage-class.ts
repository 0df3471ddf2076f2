import { someOf } from "../../cluster/foreign-text";
import type { StorageClassFact } from "../facts";
import { type Check, failed, judged, passed, type Subject, unknown, type Verdict, warning } from "./check";

const SUBJECT = { check: "storage-class", title: "Storage class" };

/** Named classes of claims, and the default where unnamed. */
export const storageClasses: Check = (
  { storageClasses: classes },
  { storageClasses: wanted, needsDefaultClass, stage },
) => [
  ...(needsDefaultClass
    ? [
        judged({ ...SUBJECT, needed: "a default class: the environment names none" }, classes, (all) => {
          const defaults = all.filter(({ isDefault }) => isDefault);
          const [found] = defaults;
          return found === undefined ? noDefault(all) : kept(found, stage === "production");
        }),
      ]
    : []),
  ...wanted.map((name) => {
    const subject: Subject = { ...SUBJECT, title: `Storage class ${name}`, needed: `the class "${name}"` };
    return judged(subject, classes, (all) => {
      const found = all.find((candidate) => candidate.name === name);
      return found === undefined
        ? failed(
            all.length === 0 ? "there is none" : `there are ${someOf(namesOf(all))}`,
            "name one that is there: storageClass under inference-stacks:cluster",
            `or make it: ${MAKE}`,
          )
        : kept(found, stage === "production");
    });
  }),
];

const MAKE = "install a CSI driver with its class; k3s and kind bring one";

function noDefault(all: readonly StorageClassFact[]): Verdict {
  if (all.length === 0) {
    return failed("there is no class at all: volumes would wait for ever", MAKE);
  }
  return failed(
    `none of ${someOf(namesOf(all))} is the default`,
    `name one: storageClass: ${all[0]?.name} under inference-stacks:cluster`,
    `or make one the default: kubectl annotate storageclass ${all[0]?.name} storageclass.kubernetes.io/is-default-class=true`,
  );
}

/** Warnings on an existing class. */
function kept(found: StorageClassFact, production: boolean): Verdict {
  const { name, provisioner, grows } = found;
  const text = `${name}, ${provisioner}`;
  const encrypted = production ? encryptionOf(found) : undefined;
  if (encrypted && encrypted.status !== "passed") {
    return { ...encrypted, found: `${text}: ${encrypted.found}` };
  }
  if (!grows) {
    return warning(
      `${text}: its volumes cannot be made larger later`,
      "set allowVolumeExpansion: true where its driver can, or give the model store room for models to come",
    );
  }
  return passed(encrypted === undefined ? text : `${text}: ${encrypted.found}`);
}

/** Drivers that always encrypt at rest, by their clouds' documentation (read 2026-11-23). */
const ALWAYS_ENCRYPTED = ["blockvolume.csi.oraclecloud.com", "pd.csi.storage.gke.io", "disk.csi.azure.com"];

function encryptionOf({ provisioner, parameters }: StorageClassFact): Verdict {
  if (ALWAYS_ENCRYPTED.includes(provisioner)) {
    return passed("encrypted at rest by its cloud");
  }
  if (provisioner === "ebs.csi.aws.com" || provisioner === "kubernetes.io/aws-ebs") {
    return parameters.encrypted === "true"
      ? passed("encrypted at rest")
      : unknown(
          'no encrypted: "true" in its parameters; the account may encrypt by default',
          'make a class with parameters: {encrypted: "true"}, and name it under inference-stacks:cluster (storageClass)',
          "aws ec2 get-ebs-encryption-by-default",
        );
  }
  return unknown(
    "whether its volumes are encrypted at rest, as production needs, cannot be checked from here",
    "encrypt the disks that they lie on (LUKS), or take a class that encrypts",
  );
}

function namesOf(all: readonly StorageClassFact[]): string[] {
  return all.map(({ name }) => name);
}
