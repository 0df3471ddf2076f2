/** Rules of a provisioned EKS cluster, without addresses. */
import { EKS_AS_OF, EKS_VERSIONS, KARPENTER_KUBERNETES } from "../../../catalog/eks";
import {
  isSupportedKubernetes,
  kubernetesMinor,
  SUPPORTED_KUBERNETES_BY,
  supportedKubernetes,
} from "../../../catalog/kubernetes-versions";
import type { Path } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";

const EKS: Path = ["cluster", "eks"];

export function madeEks({ sections: { cluster } }: RuleContext) {
  return cluster?.kind === "aws" && cluster.provision === "create" ? cluster.eks : undefined;
}

/** A version that EKS offers at the usual price, and that everything installed supports. */
export const eksVersionIsServed: Rule = function* (context) {
  const version = madeEks(context)?.kubernetesVersion;
  const minor = version === undefined ? undefined : kubernetesMinor(version);
  if (version === undefined || minor === undefined) {
    return;
  }
  const { release, oldestMinor, newestMinor } = KARPENTER_KUBERNETES;
  const runs = (number: number) => number >= oldestMinor && number <= newestMinor;
  const served = EKS_VERSIONS.map((each) => each.minor);
  const newest = served.findLast((each) => isSupportedKubernetes(each) && runs(kubernetesMinor(each) ?? 0));
  const reasons = [
    ...(isSupportedKubernetes(version) === false
      ? [`${SUPPORTED_KUBERNETES_BY} runs on ${supportedKubernetes()} alone`]
      : []),
    ...(runs(minor) ? [] : [`Karpenter ${release} runs on 1.${oldestMinor} to 1.${newestMinor} alone`]),
    ...(served.includes(`1.${minor}`)
      ? []
      : [`as of ${EKS_AS_OF} EKS has ${served.join(", ")} in standard support, and later moves clusters on by itself`]),
  ];
  if (reasons.length > 0) {
    yield {
      path: [...EKS, "kubernetesVersion"],
      value: version,
      allowed: `a version that EKS makes and the platform runs on: ${reasons.join("; ")}`,
      fix: `write "${newest}"; a cluster that exists goes up by one minor version at a time`,
    };
  }
};

/** A zone is its region and a letter. */
export const zonesAreOfTheRegion: Rule = function* (context) {
  const eks = madeEks(context);
  if (eks === undefined) {
    return;
  }
  const { region, zones } = eks;
  for (const [index, zone] of zones.entries()) {
    if (zone.slice(0, -1) !== region) {
      yield {
        path: [...EKS, "zones", index],
        value: zone,
        allowed: `availability zones of ${region}`,
        fix: `write zones such as ${region}a, or region: ${zone.slice(0, -1)}`,
      };
    } else if (zones.indexOf(zone) !== index) {
      yield {
        path: [...EKS, "zones", index],
        value: zone,
        allowed: "each zone once: each gets its own subnets",
        fix: "remove it, or write another zone",
      };
    }
  }
};

export const administratorsAreSaidOnce: Rule = function* (context) {
  const administrators = madeEks(context)?.administrators ?? [];
  for (const [index, arn] of administrators.entries()) {
    if (administrators.indexOf(arn) !== index) {
      yield {
        path: [...EKS, "administrators", index],
        value: arn,
        allowed: "each role and user once: EKS has one entry for each",
        fix: "remove it",
      };
    }
  }
};

/** Keys work in their region only. */
export const eksKeyIsOfTheRegion: Rule = function* (context) {
  const { encryptionKeyArn, region } = madeEks(context) ?? {};
  const ofKey = encryptionKeyArn?.split(":")[3];
  if (ofKey !== undefined && region !== undefined && ofKey !== region) {
    yield {
      path: [...EKS, "encryptionKeyArn"],
      value: encryptionKeyArn,
      allowed: `a key of ${region}: keys of other regions encrypt nothing there`,
      fix: `take a key of ${region}, or write region: ${ofKey}`,
    };
  }
};
